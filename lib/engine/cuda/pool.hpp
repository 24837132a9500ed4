#pragma once
// Max-pooling by own kernels: cuDNN does not say which of equal values takes the derivative, and
// engine.hpp promises the first in row order.

#include "engine/cuda/image.hpp"
#include "engine/cuda/numbers.hpp"

namespace oida::cuda {

struct Pool {
  Image in, out;  // of equal stride
  Index kernel, stride;
};

/// out: the largest value of each window; where: its place in the window, counted row by row.
/// `index` in [n, out.h, out.w, stride].
template <typename T>
struct MaxPool {
  Pool pool;
  const T* in;
  T* out;
  std::uint16_t* where;

  OIDA_BOTH void operator()(Index index) const {
    const Place to = place_of(pool.out, index);
    const Index top = to.row * pool.stride;
    const Index left = to.col * pool.stride;
    T best = in[pool.in.at(to.i, to.channel, top, left)];
    Index best_at = 0;
    for (Index k = 1; k < pool.kernel * pool.kernel; ++k) {
      const Index row = top + k / pool.kernel;
      const T value = in[pool.in.at(to.i, to.channel, row, left + k % pool.kernel)];
      if (to_float(value) > to_float(best)) {
        best = value;
        best_at = k;
      }
    }
    out[index] = best;
    where[index] = static_cast<std::uint16_t>(best_at);
  }
};

/// d_in: the sum of the derivatives of those windows whose largest value this is. `index` in
/// [n, in.h, in.w, stride].
template <typename T>
struct MaxPoolBackward {
  Pool pool;
  const T* d_out;
  const std::uint16_t* where;
  T* d_in;

  OIDA_BOTH Index first_window(Index at) const {
    return at < pool.kernel ? 0 : (at - pool.kernel) / pool.stride + 1;
  }
  OIDA_BOTH Index end_window(Index at, int windows) const {
    const Index end = at / pool.stride + 1;
    return end < static_cast<Index>(windows) ? end : static_cast<Index>(windows);
  }
  OIDA_BOTH void operator()(Index index) const {
    const Place to = place_of(pool.in, index);
    float sum = 0.0F;
    for (Index y = first_window(to.row); y < end_window(to.row, pool.out.h); ++y) {
      for (Index x = first_window(to.col); x < end_window(to.col, pool.out.w); ++x) {
        const Index from = pool.out.at(to.i, to.channel, y, x);
        const Index inside = (to.row - y * pool.stride) * pool.kernel + to.col - x * pool.stride;
        if (where[from] == inside) sum += to_float(d_out[from]);
      }
    }
    d_in[index] = narrow<T>(sum);
  }
};

}  // namespace oida::cuda
