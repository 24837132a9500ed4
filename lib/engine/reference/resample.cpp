// Layers that make images larger or put them side by side.

#include <algorithm>

#include "engine/reference/layers.hpp"
#include "engine/reference/taps.hpp"

namespace oida::reference {
namespace {

/// visit(i, o, c, y, x, oy, ox, k) for every product of a transposed convolution: input [c, y, x]
/// adds to output [o, oy, ox] by weight k.
template <typename Visit>
void for_each_product(const Layer& layer, int n, const Shape& in, Visit visit) {
  const int side = layer.kernel;
  for_each_element(n, in, [&](int i, int c, int y, int x) {
    for (int o = 0; o < layer.out; ++o) {
      for (int tap = 0; tap < side * side; ++tap) {
        const int k = (o * in.c + c) * side * side + tap;
        visit(i, o, c, y, x, y * layer.stride + tap / side, x * layer.stride + tap % side,
              static_cast<std::size_t>(k));
      }
    }
  });
}

}  // namespace

void upsample_forward(const Layer& layer, int n, const Tensor& in, Tensor& out) {
  for_each_element(n, out.shape, [&](int i, int c, int y, int x) {
    out.at(i, c, y, x) = in.at(i, c, y / layer.kernel, x / layer.kernel);
  });
}

void upsample_backward(const Layer& layer, int n, const Tensor& d_out, Tensor& d_in) {
  std::ranges::fill(d_in.values, 0.0);
  for_each_element(n, d_out.shape, [&](int i, int c, int y, int x) {
    d_in.at(i, c, y / layer.kernel, x / layer.kernel) += d_out.at(i, c, y, x);
  });
}

void conv_transpose_forward(const Layer& layer, int n, const Tensor& in, const Weights& weights,
                            Tensor& out) {
  for_each_element(n, out.shape, [&](int i, int o, int y, int x) {
    out.at(i, o, y, x) = weights.bias[static_cast<std::size_t>(o)];
  });
  for_each_product(layer, n, in.shape,
                   [&](int i, int o, int c, int y, int x, int oy, int ox, std::size_t k) {
                     out.at(i, o, oy, ox) += weights.weight[k] * in.at(i, c, y, x);
                   });
}

void conv_transpose_backward_data(const Layer& layer, int n, const Tensor& d_out,
                                  const Weights& weights, Tensor& d_in) {
  std::ranges::fill(d_in.values, 0.0);
  for_each_product(layer, n, d_in.shape,
                   [&](int i, int o, int c, int y, int x, int oy, int ox, std::size_t k) {
                     d_in.at(i, c, y, x) += weights.weight[k] * d_out.at(i, o, oy, ox);
                   });
}

void conv_transpose_backward_weights(const Layer& layer, int n, const Tensor& in,
                                     const Tensor& d_out, const WeightGradients& gradients) {
  for_each_element(n, d_out.shape, [&](int i, int o, int y, int x) {
    gradients.bias[static_cast<std::size_t>(o)] += d_out.at(i, o, y, x);
  });
  for_each_product(layer, n, in.shape,
                   [&](int i, int o, int c, int y, int x, int oy, int ox, std::size_t k) {
                     gradients.weight[k] += in.at(i, c, y, x) * d_out.at(i, o, oy, ox);
                   });
}

void concat_forward(int n, const Tensor& in, const Tensor& with, Tensor& out) {
  for_each_element(n, out.shape, [&](int i, int c, int y, int x) {
    const int beyond = c - in.shape.c;
    out.at(i, c, y, x) = beyond < 0 ? in.at(i, c, y, x) : with.at(i, beyond, y, x);
  });
}

void concat_backward(int n, const Tensor& d_out, Tensor& d_in) {
  for_each_element(n, d_in.shape,
                   [&](int i, int c, int y, int x) { d_in.at(i, c, y, x) = d_out.at(i, c, y, x); });
}

void concat_backward_with(int n, const Tensor& d_out, Tensor& d_with) {
  const int first = d_out.shape.c - d_with.shape.c;
  for_each_element(n, d_with.shape, [&](int i, int c, int y, int x) {
    d_with.at(i, c, y, x) += d_out.at(i, first + c, y, x);
  });
}

}  // namespace oida::reference
