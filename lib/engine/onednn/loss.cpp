#include "engine/onednn/loss.hpp"

#include <algorithm>
#include <cmath>

#include "engine/onednn/typed.hpp"

namespace oida::onednn {
namespace {

struct Shifted {
  float largest = 0.0F;
  double sum = 0.0;  // of exp(logit - largest)
};

Shifted shifted_sum(const float* logits, int classes) {
  Shifted row{*std::max_element(logits, logits + classes), 0.0};
  for (int c = 0; c < classes; ++c) {
    row.sum += std::exp(static_cast<double>(logits[c] - row.largest));
  }
  return row;
}

double probability(const Shifted& row, float logit) {
  return std::exp(static_cast<double>(logit - row.largest)) / row.sum;
}

/// One labelled sample; `share` is its weight over the number of samples, `spread` what its label
/// gives to each class.
struct Target {
  int label;
  double share, spread;
};

template <typename T>
void add_sample(const float* logits, int classes, const Target& target, T* gradient,
                StepResult& result) {
  const Shifted row = shifted_sum(logits, classes);
  const double norm = std::log(row.sum) + static_cast<double>(row.largest);
  for (int c = 0; c < classes; ++c) {
    const double hit = c == target.label ? 1.0 - classes * target.spread : 0.0;
    const double wanted = hit + target.spread;
    const double slope = target.share * (probability(row, logits[c]) - wanted);
    gradient[c] = from_float<T>(static_cast<float>(slope));
    if (wanted > 0.0) {
      result.loss += target.share * wanted * (norm - static_cast<double>(logits[c]));
    }
  }
  result.correct += std::max_element(logits, logits + classes) - logits == target.label ? 1 : 0;
}

}  // namespace

StepResult softmax_loss(const Batch& batch, const EngineOptions& options, const Tensor& logits,
                        int samples, Element element, void* gradient) {
  const auto& class_weights = options.class_weights;
  const double spread = static_cast<double>(options.label_smoothing) / logits.channels;
  StepResult result;
  by_element(element, [&]<typename T>(std::type_identity<T>) {
    T* rows = static_cast<T*>(gradient);
    std::fill_n(rows, static_cast<std::size_t>(samples) * logits.sample_size(), T{});
    for (int n = 0; n < batch.n; ++n) {
      const int label = batch.labels[static_cast<std::size_t>(n)];
      if (label < 0) continue;
      const float weight =
          class_weights.empty() ? 1.0F : class_weights[static_cast<std::size_t>(label)];
      const float* row = sample_of<float>(logits, static_cast<const void*>(logits.data), n);
      add_sample(row, logits.channels, {label, static_cast<double>(weight) / batch.n, spread},
                 rows + static_cast<std::size_t>(n) * logits.sample_size(), result);
    }
  });
  return result;
}

void softmax(const Tensor& logits, int n, float* probabilities) {
  const int classes = logits.channels;
  for (int i = 0; i < n; ++i) {
    const float* from = sample_of<float>(logits, static_cast<const void*>(logits.data), i);
    float* to = probabilities + static_cast<std::ptrdiff_t>(i) * classes;
    const Shifted row = shifted_sum(from, classes);
    for (int c = 0; c < classes; ++c) to[c] = static_cast<float>(probability(row, from[c]));
  }
}

}  // namespace oida::onednn
