#include <algorithm>

#include "engine/reference/layers.hpp"
#include "engine/reference/taps.hpp"

namespace oida::reference {
namespace {

/// Place of weight [o, c, ky, kx].
struct Kernel {
  int channels, side;

  std::size_t at(int o, int c, int ky, int kx) const {
    const auto row = (static_cast<std::size_t>(o) * static_cast<std::size_t>(channels) +
                      static_cast<std::size_t>(c)) *
                         static_cast<std::size_t>(side) +
                     static_cast<std::size_t>(ky);
    return row * static_cast<std::size_t>(side) + static_cast<std::size_t>(kx);
  }
};

}  // namespace

void conv_forward(const Layer& layer, int n, const Tensor& in, const Weights& weights,
                  Tensor& out) {
  const Kernel kernel{in.shape.c, layer.kernel};
  for_each_element(n, out.shape, [&](int i, int o, int y, int x) {
    double sum = weights.bias[static_cast<std::size_t>(o)];
    for (int c = 0; c < in.shape.c; ++c) {
      for_each_tap(layer, in.shape, y, x, [&](int iy, int ix, int ky, int kx) {
        sum += weights.weight[kernel.at(o, c, ky, kx)] * in.at(i, c, iy, ix);
      });
    }
    out.at(i, o, y, x) = sum;
  });
}

void conv_backward_data(const Layer& layer, int n, const Tensor& d_out, const Weights& weights,
                        Tensor& d_in) {
  const Kernel kernel{d_in.shape.c, layer.kernel};
  std::ranges::fill(d_in.values, 0.0);
  for_each_element(n, d_out.shape, [&](int i, int o, int y, int x) {
    const double slope = d_out.at(i, o, y, x);
    for (int c = 0; c < d_in.shape.c; ++c) {
      for_each_tap(layer, d_in.shape, y, x, [&](int iy, int ix, int ky, int kx) {
        d_in.at(i, c, iy, ix) += weights.weight[kernel.at(o, c, ky, kx)] * slope;
      });
    }
  });
}

void conv_backward_weights(const Layer& layer, int n, const Tensor& in, const Tensor& d_out,
                           const WeightGradients& gradients) {
  const Kernel kernel{in.shape.c, layer.kernel};
  for_each_element(n, d_out.shape, [&](int i, int o, int y, int x) {
    const double slope = d_out.at(i, o, y, x);
    gradients.bias[static_cast<std::size_t>(o)] += slope;
    for (int c = 0; c < in.shape.c; ++c) {
      for_each_tap(layer, in.shape, y, x, [&](int iy, int ix, int ky, int kx) {
        gradients.weight[kernel.at(o, c, ky, kx)] += in.at(i, c, iy, ix) * slope;
      });
    }
  });
}

}  // namespace oida::reference
