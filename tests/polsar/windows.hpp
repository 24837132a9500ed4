#pragma once
// Windows with holes, and parts of them: for what must not leak and must not depend on a tile.

#include <algorithm>
#include <cmath>
#include <limits>

#include "polsar/features.hpp"
#include "samples.hpp"

namespace oida::test {

/// A third of the pixels is invalid and holds values that must not leak.
inline MatrixWindow holed_window(int rows, int cols) {
  MatrixWindow window = random_window(rows, cols, 8);
  for (std::size_t i = 0; i < window.pixels(); i += 3) {
    for (std::size_t e = 0; e < 9; ++e) {
      window.plane(e)[i] = i % 2 == 0 ? std::numeric_limits<float>::quiet_NaN() : 1e30F;
    }
  }
  audit(window);
  for (std::size_t i = 0; i < window.pixels(); i += 3) window.valid[i] = 0;
  return window;
}

/// Rows and columns of a window from (top, left) on.
inline MatrixWindow part_of(const MatrixWindow& whole, int top, int left, int rows, int cols) {
  MatrixWindow part = make_window(whole.kind, whole.pair, rows, cols);
  for (std::size_t i = 0; i < part.pixels(); ++i) {
    const int row = top + static_cast<int>(i) / cols;
    const int col = left + static_cast<int>(i) % cols;
    const auto from = static_cast<std::size_t>(row * whole.cols + col);
    part.valid[i] = whole.valid[from];
    for (std::size_t e = 0; e < elements(whole.kind).size(); ++e) {
      part.plane(e)[i] = whole.plane(e)[from];
    }
  }
  return part;
}

}  // namespace oida::test
