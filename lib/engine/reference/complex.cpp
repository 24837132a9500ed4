// Layers on complex tensors: all real parts, then all imaginary parts.

#include <algorithm>
#include <cmath>

#include "engine/reference/layers.hpp"
#include "engine/reference/taps.hpp"

namespace oida::reference {
namespace {

double length(const Tensor& in, int i, int c, int y, int x) {
  return std::hypot(in.at(i, c, y, x), in.at(i, c + in.shape.c / 2, y, x));
}

Shape half_of(const Shape& shape) {
  return {shape.c / 2, shape.h, shape.w};
}

/// The real convolution that a complex one is: (A + iB)(u + iv) has parts A u - B v and B u + A v.
Layer real_layer(const Layer& layer) {
  Layer real = layer;
  real.kind = LayerKind::conv;
  real.out = 2 * layer.out;
  return real;
}

/// Visits every pair of a real weight, place `to`, and the part that it is, place `from`, with its
/// sign.
template <typename Visit>
void for_each_weight(const Layer& layer, int channels, Visit visit) {
  const auto window =
      static_cast<std::size_t>(layer.kernel) * static_cast<std::size_t>(layer.kernel);
  const auto in = static_cast<std::size_t>(channels / 2);
  const auto out = static_cast<std::size_t>(layer.out);
  const std::size_t part = out * in * window;
  for (std::size_t o = 0; o < 2 * out; ++o) {
    for (std::size_t c = 0; c < 2 * in; ++c) {
      const bool imaginary = (o < out) != (c < in);
      const double sign = o < out && c >= in ? -1.0 : 1.0;
      for (std::size_t k = 0; k < window; ++k) {
        visit((o * 2 * in + c) * window + k,
              (imaginary ? part : 0) + ((o % out) * in + c % in) * window + k, sign);
      }
    }
  }
}

std::vector<double> real_weight(const Layer& layer, int channels, std::span<const double> parts) {
  std::vector<double> weight(2 * parts.size());
  for_each_weight(layer, channels, [&](std::size_t to, std::size_t from, double sign) {
    weight[to] = sign * parts[from];
  });
  return weight;
}

/// Channel of the real part, and of the imaginary part or -1, of channel `c` of `complex`'s output.
struct Source {
  int real, imaginary;
};

Source source_of(const Layer& layer, int c) {
  if (c < layer.reals) return {c, -1};
  const int first = layer.reals + 2 * (c - layer.reals);
  return {first, first + 1};
}

std::pair<int, int> longest(const Layer& layer, const Tensor& in, int i, int c, int y, int x) {
  std::pair<int, int> best{y * layer.stride, x * layer.stride};
  for_each_tap(layer, in.shape, y, x, [&](int iy, int ix, int, int) {
    if (length(in, i, c, iy, ix) > length(in, i, c, best.first, best.second)) best = {iy, ix};
  });
  return best;
}

}  // namespace

void complex_forward(const Layer& layer, int n, const Tensor& in, Tensor& out) {
  const int half = out.shape.c / 2;
  for_each_element(n, half_of(out.shape), [&](int i, int c, int y, int x) {
    const auto [real, imaginary] = source_of(layer, c);
    out.at(i, c, y, x) = in.at(i, real, y, x);
    out.at(i, half + c, y, x) = imaginary < 0 ? 0.0 : in.at(i, imaginary, y, x);
  });
}

void complex_backward(const Layer& layer, int n, const Tensor& d_out, Tensor& d_in) {
  const int half = d_out.shape.c / 2;
  for_each_element(n, half_of(d_out.shape), [&](int i, int c, int y, int x) {
    const auto [real, imaginary] = source_of(layer, c);
    d_in.at(i, real, y, x) = d_out.at(i, c, y, x);
    if (imaginary >= 0) d_in.at(i, imaginary, y, x) = d_out.at(i, half + c, y, x);
  });
}

void complex_conv_forward(const Layer& layer, int n, const Tensor& in, const Weights& weights,
                          Tensor& out) {
  const auto weight = real_weight(layer, in.shape.c, weights.weight);
  conv_forward(real_layer(layer), n, in, {weight, weights.bias}, out);
}

void complex_conv_backward_data(const Layer& layer, int n, const Tensor& d_out,
                                const Weights& weights, Tensor& d_in) {
  const auto weight = real_weight(layer, d_in.shape.c, weights.weight);
  conv_backward_data(real_layer(layer), n, d_out, {weight, {}}, d_in);
}

void complex_conv_backward_weights(const Layer& layer, int n, const Tensor& in, const Tensor& d_out,
                                   const WeightGradients& gradients) {
  std::vector<double> weight(2 * gradients.weight.size(), 0.0);
  conv_backward_weights(real_layer(layer), n, in, d_out, {weight, gradients.bias});
  for_each_weight(layer, in.shape.c, [&](std::size_t to, std::size_t from, double sign) {
    gradients.weight[from] += sign * weight[to];
  });
}

void complex_max_pool_forward(const Layer& layer, int n, const Tensor& in, Tensor& out) {
  const int half = in.shape.c / 2;
  for_each_element(n, half_of(out.shape), [&](int i, int c, int y, int x) {
    const auto [iy, ix] = longest(layer, in, i, c, y, x);
    out.at(i, c, y, x) = in.at(i, c, iy, ix);
    out.at(i, half + c, y, x) = in.at(i, half + c, iy, ix);
  });
}

void complex_max_pool_backward(const Layer& layer, int n, const Tensor& in, const Tensor& d_out,
                               Tensor& d_in) {
  const int half = in.shape.c / 2;
  std::ranges::fill(d_in.values, 0.0);
  for_each_element(n, half_of(d_out.shape), [&](int i, int c, int y, int x) {
    const auto [iy, ix] = longest(layer, in, i, c, y, x);
    d_in.at(i, c, iy, ix) += d_out.at(i, c, y, x);
    d_in.at(i, half + c, iy, ix) += d_out.at(i, half + c, y, x);
  });
}

void mod_relu_forward(int n, const Tensor& in, const Weights& weights, Tensor& out) {
  const int half = in.shape.c / 2;
  for_each_element(n, half_of(in.shape), [&](int i, int c, int y, int x) {
    const double modulus = length(in, i, c, y, x);
    const double left = modulus + weights.bias[static_cast<std::size_t>(c)];
    const double factor = modulus > 0.0 && left > 0.0 ? left / modulus : 0.0;
    out.at(i, c, y, x) = factor * in.at(i, c, y, x);
    out.at(i, half + c, y, x) = factor * in.at(i, half + c, y, x);
  });
}

/// With f = 1 + b / |z|: d_in = f d_out - b / |z|^3 (z . d_out) z, d_b = (z . d_out) / |z|.
void mod_relu_backward(int n, const Tensor& in, const Tensor& d_out, const Weights& weights,
                       Tensor* d_in, const WeightGradients* gradients) {
  const int half = in.shape.c / 2;
  for_each_element(n, half_of(in.shape), [&](int i, int c, int y, int x) {
    const double u = in.at(i, c, y, x);
    const double v = in.at(i, half + c, y, x);
    const double bias = weights.bias[static_cast<std::size_t>(c)];
    const double modulus = std::hypot(u, v);
    const bool passes = modulus > 0.0 && modulus + bias > 0.0;
    const double along = u * d_out.at(i, c, y, x) + v * d_out.at(i, half + c, y, x);
    if (gradients != nullptr && passes) {
      gradients->bias[static_cast<std::size_t>(c)] += along / modulus;
    }
    if (d_in == nullptr) return;
    const double straight = passes ? 1.0 + bias / modulus : 0.0;
    const double turned = passes ? bias * along / (modulus * modulus * modulus) : 0.0;
    d_in->at(i, c, y, x) = straight * d_out.at(i, c, y, x) - turned * u;
    d_in->at(i, half + c, y, x) = straight * d_out.at(i, half + c, y, x) - turned * v;
  });
}

void magnitude_forward(int n, const Tensor& in, Tensor& out) {
  for_each_element(n, out.shape, [&](int i, int c, int y, int x) {
    out.at(i, c, y, x) = length(in, i, c, y, x);
  });
}

void magnitude_backward(int n, const Tensor& in, const Tensor& d_out, Tensor& d_in) {
  const int half = in.shape.c / 2;
  for_each_element(n, d_out.shape, [&](int i, int c, int y, int x) {
    const double modulus = length(in, i, c, y, x);
    const double slope = modulus > 0.0 ? d_out.at(i, c, y, x) / modulus : 0.0;
    d_in.at(i, c, y, x) = slope * in.at(i, c, y, x);
    d_in.at(i, half + c, y, x) = slope * in.at(i, half + c, y, x);
  });
}

}  // namespace oida::reference
