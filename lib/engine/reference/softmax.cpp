#include <algorithm>
#include <cmath>

#include "engine/reference/layers.hpp"

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

double cross_entropy(const Tensor& logits, int i, int label) {
  return log_sum_exp(row(logits, i)) - logits.sample(i)[label];
}

void cross_entropy_backward(std::span<const std::int32_t> labels, std::span<const double> weight,
                            const Tensor& probabilities, Tensor& d_logits) {
  const std::size_t classes = probabilities.shape.size();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double share = weight[i] / static_cast<double>(labels.size());
    for (std::size_t c = 0; c < classes; ++c) {
      const double target = static_cast<int>(c) == labels[i] ? 1.0 : 0.0;
      d_logits.values[i * classes + c] = share * (probabilities.values[i * classes + c] - target);
    }
  }
}

}  // namespace oida::reference
