#pragma once
// A small RGB picture that can be drawn on.

#include <string>
#include <vector>

#include "data/classes.hpp"

namespace oida {

class Picture {
 public:
  Picture(int rows, int cols, Colour background);

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  /// What lies outside is cut off.
  void fill(int row, int col, int rows, int cols, Colour colour);
  /// Text of kTextRows height at twice the dot matrix's size; characters outside ASCII become '?'.
  void text(int row, int col, const std::string& text, Colour colour);
  /// As PNG. Error naming the path.
  void write(const std::string& path) const;

 private:
  int rows_;
  int cols_;
  std::vector<std::uint8_t> rgb_;
};

inline constexpr int kTextRows = 14;
int text_cols(const std::string& text);

/// How a raster of rows x cols becomes a picture of at most `longest_px`: each `shrink` x `shrink`
/// pixels become one, and each of these `zoom` x `zoom` (small rasters are enlarged).
struct PictureScale {
  int shrink = 1;
  int zoom = 1;

  PictureScale(int raster_rows, int raster_cols, int longest_px);
  int cells(int pixels) const { return (pixels + shrink - 1) / shrink; }
};

}  // namespace oida
