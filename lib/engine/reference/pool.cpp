#include <algorithm>

#include "engine/reference/layers.hpp"
#include "engine/reference/taps.hpp"

namespace oida::reference {
namespace {

/// Index in `in` of the largest value of a window.
std::size_t largest(const Layer& layer, const Tensor& in, int i, int c, int y, int x) {
  std::size_t best = in.index(i, c, y * layer.stride, x * layer.stride);
  for_each_tap(layer, in.shape, y, x, [&](int iy, int ix, int, int) {
    const std::size_t here = in.index(i, c, iy, ix);
    if (in.values[here] > in.values[best]) best = here;
  });
  return best;
}

}  // namespace

void max_pool_forward(const Layer& layer, int n, const Tensor& in, Tensor& out) {
  for_each_element(n, out.shape, [&](int i, int c, int y, int x) {
    out.at(i, c, y, x) = in.values[largest(layer, in, i, c, y, x)];
  });
}

void max_pool_backward(const Layer& layer, int n, const Tensor& in, const Tensor& d_out,
                       Tensor& d_in) {
  std::ranges::fill(d_in.values, 0.0);
  for_each_element(n, d_out.shape, [&](int i, int c, int y, int x) {
    d_in.values[largest(layer, in, i, c, y, x)] += d_out.at(i, c, y, x);
  });
}

void average_pool_forward(const Layer& layer, int n, const Tensor& in, Tensor& out) {
  const double area = layer.kernel * layer.kernel;
  for_each_element(n, out.shape, [&](int i, int c, int y, int x) {
    double sum = 0.0;
    for_each_tap(layer, in.shape, y, x,
                 [&](int iy, int ix, int, int) { sum += in.at(i, c, iy, ix); });
    out.at(i, c, y, x) = sum / area;
  });
}

void average_pool_backward(const Layer& layer, int n, const Tensor& d_out, Tensor& d_in) {
  const double area = layer.kernel * layer.kernel;
  std::ranges::fill(d_in.values, 0.0);
  for_each_element(n, d_out.shape, [&](int i, int c, int y, int x) {
    const double share = d_out.at(i, c, y, x) / area;
    for_each_tap(layer, d_in.shape, y, x,
                 [&](int iy, int ix, int, int) { d_in.at(i, c, iy, ix) += share; });
  });
}

}  // namespace oida::reference
