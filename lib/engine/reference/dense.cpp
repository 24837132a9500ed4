#include <algorithm>
#include <numeric>

#include "engine/reference/layers.hpp"

namespace oida::reference {

void dense_forward(int n, const Tensor& in, const Weights& weights, Tensor& out) {
  const std::size_t width = in.shape.size();
  for (int i = 0; i < n; ++i) {
    const double* values = in.sample(i);
    for (std::size_t o = 0; o < out.shape.size(); ++o) {
      const double* row = weights.weight.data() + o * width;
      out.sample(i)[o] = std::inner_product(row, row + width, values, weights.bias[o]);
    }
  }
}

void dense_backward_data(int n, const Tensor& d_out, const Weights& weights, Tensor& d_in) {
  const std::size_t width = d_in.shape.size();
  std::ranges::fill(d_in.values, 0.0);
  for (int i = 0; i < n; ++i) {
    for (std::size_t o = 0; o < d_out.shape.size(); ++o) {
      const double slope = d_out.sample(i)[o];
      for (std::size_t k = 0; k < width; ++k) {
        d_in.sample(i)[k] += weights.weight[o * width + k] * slope;
      }
    }
  }
}

void dense_backward_weights(int n, const Tensor& in, const Tensor& d_out,
                            const WeightGradients& gradients) {
  const std::size_t width = in.shape.size();
  for (int i = 0; i < n; ++i) {
    for (std::size_t o = 0; o < d_out.shape.size(); ++o) {
      const double slope = d_out.sample(i)[o];
      gradients.bias[o] += slope;
      for (std::size_t k = 0; k < width; ++k) {
        gradients.weight[o * width + k] += in.sample(i)[k] * slope;
      }
    }
  }
}

}  // namespace oida::reference
