#include "io/report/picture.hpp"

#include <algorithm>

#include "io/gdal.hpp"
#include "io/report/font.hpp"

namespace oida {
namespace {

constexpr int kScale = 2;
constexpr int kAdvance = (kGlyphCols + 1) * kScale;
constexpr int kLeastLongest_px = 400;  // shorter pictures are enlarged

/// One character for each character of UTF-8 text; bytes that go on with one are left out.
std::string characters(const std::string& utf8) {
  std::string out;
  for (const char byte : utf8) {
    if ((static_cast<unsigned char>(byte) & 0xC0U) != 0x80U) out += byte;
  }
  return out;
}

bool dot(const Glyph& glyph, int row, int col) {
  if (row < 0 || col < 0 || row >= kGlyphRows || col >= kGlyphCols) return false;
  return ((glyph[static_cast<std::size_t>(row)] >> (kGlyphCols - 1 - col)) & 1) != 0;
}

/// A quarter of a dot, rounded by the rule of Scale2x (A. Mazzoleni): it takes the colour of its
/// two outer neighbours when these agree and the opposite ones do not.
bool quarter(const Glyph& glyph, int row, int col) {
  const int r = row / kScale, c = col / kScale;
  const int down = row % kScale == 0 ? -1 : 1, right = col % kScale == 0 ? -1 : 1;
  const bool vertical = dot(glyph, r + down, c), horizontal = dot(glyph, r, c + right);
  const bool rounds = vertical == horizontal && vertical != dot(glyph, r - down, c) &&
                      horizontal != dot(glyph, r, c - right);
  return rounds ? vertical : dot(glyph, r, c);
}

}  // namespace

Picture::Picture(int rows, int cols, Colour background)
    : rows_(rows),
      cols_(cols),
      rgb_(std::size_t{3} * static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols)) {
  fill(0, 0, rows, cols, background);
}

void Picture::fill(int row, int col, int rows, int cols, Colour colour) {
  const int last_row = std::min(row + rows, rows_), last_col = std::min(col + cols, cols_);
  for (int r = std::max(row, 0); r < last_row; ++r) {
    for (int c = std::max(col, 0); c < last_col; ++c) {
      const std::size_t at = 3 * (static_cast<std::size_t>(r) * static_cast<std::size_t>(cols_) +
                                  static_cast<std::size_t>(c));
      std::copy(colour.begin(), colour.end(), rgb_.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
}

void Picture::text(int row, int col, const std::string& text, Colour colour) {
  for (const char character : characters(text)) {
    const Glyph& shape = glyph(character);
    for (int r = 0; r < kGlyphRows * kScale; ++r) {
      for (int c = 0; c < kGlyphCols * kScale; ++c) {
        if (quarter(shape, r, c)) fill(row + r, col + c, 1, 1, colour);
      }
    }
    col += kAdvance;
  }
}

void Picture::write(const std::string& path) const {
  write_png(path, *memory_raster(rows_, cols_, 3, rgb_));
}

int text_cols(const std::string& text) {
  return static_cast<int>(characters(text).size()) * kAdvance;
}

PictureScale::PictureScale(int raster_rows, int raster_cols, int longest_px) {
  const int longest = std::max(raster_rows, raster_cols);
  shrink = std::max(1, (longest + longest_px - 1) / longest_px);
  zoom = std::max(1, std::min(kLeastLongest_px, longest_px) / longest);
}

}  // namespace oida
