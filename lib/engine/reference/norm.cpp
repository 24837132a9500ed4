#include "engine/norm.hpp"

#include <cmath>

#include "engine/reference/layers.hpp"

namespace oida::reference {
namespace {

/// Elements that share a mean and a variance.
struct Set {
  int first_sample, last_sample;
  int first_channel, last_channel;
};

template <typename Visit>
void for_each(const Set& set, const Shape& shape, Visit visit) {
  for (int i = set.first_sample; i < set.last_sample; ++i) {
    for (int c = set.first_channel; c < set.last_channel; ++c) {
      for (int y = 0; y < shape.h; ++y) {
        for (int x = 0; x < shape.w; ++x) visit(i, c, y, x);
      }
    }
  }
}

double size_of(const Set& set, const Shape& shape) {
  return static_cast<double>(set.last_sample - set.first_sample) *
         (set.last_channel - set.first_channel) * shape.h * shape.w;
}

struct Moments {
  double mean = 0.0, variance = 0.0;

  double normal(double value) const { return (value - mean) * inverse_deviation(); }
  double inverse_deviation() const { return 1.0 / std::sqrt(variance + kNormEpsilon); }
};

Moments moments_of(const Set& set, const Tensor& in) {
  Moments moments;
  const double size = size_of(set, in.shape);
  for_each(set, in.shape, [&](int i, int c, int y, int x) { moments.mean += in.at(i, c, y, x); });
  moments.mean /= size;
  for_each(set, in.shape, [&](int i, int c, int y, int x) {
    const double apart = in.at(i, c, y, x) - moments.mean;
    moments.variance += apart * apart;
  });
  moments.variance /= size;
  return moments;
}

void scale(const Set& set, const Moments& moments, const Weights& weights, const Tensor& in,
           Tensor& out) {
  for_each(set, in.shape, [&](int i, int c, int y, int x) {
    const auto k = static_cast<std::size_t>(c);
    out.at(i, c, y, x) = weights.weight[k] * moments.normal(in.at(i, c, y, x)) + weights.bias[k];
  });
}

void backward_weights(const Set& set, const Moments& moments, const Tensor& in, const Tensor& d_out,
                      const WeightGradients& gradients) {
  for_each(set, in.shape, [&](int i, int c, int y, int x) {
    const auto k = static_cast<std::size_t>(c);
    gradients.weight[k] += d_out.at(i, c, y, x) * moments.normal(in.at(i, c, y, x));
    gradients.bias[k] += d_out.at(i, c, y, x);
  });
}

/// Ioffe and Szegedy 2015, section 3, in one expression: with g = weight d_out and the normal
/// values v, d_in = (g - mean g - v mean(g v)) / deviation.
void backward_data(const Set& set, const Moments& moments, const Weights& weights, const Tensor& in,
                   const Tensor& d_out, Tensor& d_in) {
  double sum = 0.0;
  double along = 0.0;
  const auto slope = [&](int i, int c, int y, int x) {
    return weights.weight[static_cast<std::size_t>(c)] * d_out.at(i, c, y, x);
  };
  for_each(set, in.shape, [&](int i, int c, int y, int x) {
    sum += slope(i, c, y, x);
    along += slope(i, c, y, x) * moments.normal(in.at(i, c, y, x));
  });
  const double size = size_of(set, in.shape);
  for_each(set, in.shape, [&](int i, int c, int y, int x) {
    const double normal = moments.normal(in.at(i, c, y, x));
    d_in.at(i, c, y, x) =
        moments.inverse_deviation() * (slope(i, c, y, x) - sum / size - normal * along / size);
  });
}

template <typename Work>
void for_each_group(const Layer& layer, int n, const Shape& shape, Work work) {
  const int channels = shape.c / layer.groups;
  for (int i = 0; i < n; ++i) {
    for (int g = 0; g < layer.groups; ++g) {
      work(Set{i, i + 1, g * channels, (g + 1) * channels});
    }
  }
}

template <typename Work>
void for_each_channel(int n, const Shape& shape, Work work) {
  for (int c = 0; c < shape.c; ++c) work(Set{0, n, c, c + 1}, static_cast<std::size_t>(c));
}

}  // namespace

void group_norm_forward(const Layer& layer, int n, const Tensor& in, const Weights& weights,
                        Tensor& out) {
  for_each_group(layer, n, in.shape,
                 [&](const Set& set) { scale(set, moments_of(set, in), weights, in, out); });
}

void group_norm_backward_data(const Layer& layer, int n, const Tensor& in, const Tensor& d_out,
                              const Weights& weights, Tensor& d_in) {
  for_each_group(layer, n, in.shape, [&](const Set& set) {
    backward_data(set, moments_of(set, in), weights, in, d_out, d_in);
  });
}

void group_norm_backward_weights(const Layer& layer, int n, const Tensor& in, const Tensor& d_out,
                                 const WeightGradients& gradients) {
  for_each_group(layer, n, in.shape, [&](const Set& set) {
    backward_weights(set, moments_of(set, in), in, d_out, gradients);
  });
}

void batch_norm_forward(int n, bool training, const Tensor& in, const Weights& weights,
                        Tensor& out) {
  for_each_channel(n, in.shape, [&](const Set& set, std::size_t c) {
    const Moments running{weights.mean[c], weights.variance[c]};
    scale(set, training ? moments_of(set, in) : running, weights, in, out);
  });
}

void batch_norm_backward_data(int n, const Tensor& in, const Tensor& d_out, const Weights& weights,
                              Tensor& d_in) {
  for_each_channel(n, in.shape, [&](const Set& set, std::size_t) {
    backward_data(set, moments_of(set, in), weights, in, d_out, d_in);
  });
}

void batch_norm_backward_weights(int n, const Tensor& in, const Tensor& d_out,
                                 const Weights& weights, const WeightGradients& gradients) {
  for_each_channel(n, in.shape, [&](const Set& set, std::size_t c) {
    const Moments moments = moments_of(set, in);
    backward_weights(set, moments, in, d_out, gradients);
    gradients.mean[c] = weights.mean[c] - moments.mean;
    gradients.variance[c] = weights.variance[c] - moments.variance;
  });
}

}  // namespace oida::reference
