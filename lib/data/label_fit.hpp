#pragma once
// Whether labels lie on their scene as they should: a picture turned upside down or a few rows late
// has the right size and trains a poor network.

#include <cstddef>
#include <string>
#include <vector>

#include "data/classes.hpp"
#include "polsar/matrix.hpp"

namespace oida {

/// Gathers a thinned-out picture of the scene's powers, at most about kMostPixels, and asks how
/// well labels explain it in their own place, mirrored, and shifted by up to kMostShift_px rows or
/// columns. How well: the correlation ratio, the share of the variance of log power that lies
/// between classes (Fisher, Statistical Methods for Research Workers, 1925, ch. 8), mean of all
/// channels.
class LabelFit {
 public:
  static constexpr std::size_t kMostPixels = 200'000;
  static constexpr int kMostShift_px = 16;

  LabelFit(int rows, int cols);

  /// Audited rows [first_row, ...) over the scene's whole width, each row of the scene once.
  void add(const MatrixWindow& strip, int first_row);

  /// "labels explain the scene better upside down (0.61 against 0.20 as they are)"; empty where
  /// their own place is best or no other is clearly better.
  std::string doubt(const LabelRaster& labels) const;

 private:
  struct Pixel {
    int row = 0, col = 0;
  };
  struct Place;
  double explained(const LabelRaster& labels, const Place& place) const;

  int rows_, cols_, step_;
  std::size_t channels_ = 0;
  std::vector<Pixel> pixels_;
  std::vector<float> powers_;  // [pixels, channels], log10
};

}  // namespace oida
