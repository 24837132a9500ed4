#pragma once
// The geometry that convolutions and pools share.

#include "nn/network.hpp"

namespace oida::reference {

/// visit(iy, ix, ky, kx) for every place (ky, kx) of the window of output (y, x) that lies on the
/// image, at (iy, ix); row by row.
template <typename Visit>
void for_each_tap(const Layer& layer, const Shape& image, int y, int x, Visit visit) {
  for (int ky = 0; ky < layer.kernel; ++ky) {
    const int iy = y * layer.stride - layer.pad + ky;
    if (iy < 0 || iy >= image.h) continue;
    for (int kx = 0; kx < layer.kernel; ++kx) {
      const int ix = x * layer.stride - layer.pad + kx;
      if (ix >= 0 && ix < image.w) visit(iy, ix, ky, kx);
    }
  }
}

/// visit(i, c, y, x) for every element of n samples.
template <typename Visit>
void for_each_element(int n, const Shape& shape, Visit visit) {
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < shape.c; ++c) {
      for (int y = 0; y < shape.h; ++y) {
        for (int x = 0; x < shape.w; ++x) visit(i, c, y, x);
      }
    }
  }
}

}  // namespace oida::reference
