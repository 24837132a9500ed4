#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/reference/layers.hpp"
#include "engine/reference/taps.hpp"

namespace oida::reference {
namespace {

/// log of the sum of exp(logits) of one sample, without overflow.
double log_sum_exp(std::span<const double> logits) {
  const double top = *std::ranges::max_element(logits);
  double sum = 0.0;
  for (const double logit : logits) sum += std::exp(logit - top);
  return top + std::log(sum);
}

std::span<const double> row(const Tensor& tensor, int i) {
  return {tensor.sample(i), tensor.shape.size()};
}

}  // namespace

void softmax(int n, const Tensor& logits, Tensor& probabilities) {
  for (int i = 0; i < n; ++i) {
    const double norm = log_sum_exp(row(logits, i));
    std::ranges::transform(row(logits, i), probabilities.sample(i),
                           [&](double logit) { return std::exp(logit - norm); });
  }
}

double cross_entropy(const Tensor& logits, int i, const Target& target) {
  const auto values = row(logits, i);
  const double norm = log_sum_exp(values);
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  const double hit = values[static_cast<std::size_t>(target.label)];
  return target.share * (norm - (1.0 - target.smoothing) * hit - target.smoothing * mean);
}

void cross_entropy_backward(const Tensor& probabilities, int i, const Target& target,
                            Tensor& d_logits) {
  const std::size_t classes = probabilities.shape.size();
  for (std::size_t c = 0; c < classes; ++c) {
    const double hit = static_cast<int>(c) == target.label ? 1.0 - target.smoothing : 0.0;
    const double wanted = hit + target.smoothing / static_cast<double>(classes);
    d_logits.sample(i)[c] = target.share * (probabilities.sample(i)[c] - wanted);
  }
}

void gather_rows(int n, const Tensor& in, Tensor& rows) {
  const Shape& shape = in.shape;
  for_each_element(n, shape, [&](int i, int c, int y, int x) {
    rows.sample((i * shape.h + y) * shape.w + x)[c] = in.at(i, c, y, x);
  });
}

void scatter_rows(int n, const Tensor& rows, Tensor& out) {
  const Shape& shape = out.shape;
  for_each_element(n, shape, [&](int i, int c, int y, int x) {
    out.at(i, c, y, x) = rows.sample((i * shape.h + y) * shape.w + x)[c];
  });
}

}  // namespace oida::reference
