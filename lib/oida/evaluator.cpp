#include "oida/evaluator.hpp"

#include <algorithm>
#include <cmath>

namespace oida {

Evaluator::Evaluator(Engine& engine, const PatchStore& store)
    : engine_(engine),
      store_(store),
      batch_(make_batch(engine)),
      probabilities_(static_cast<std::size_t>(engine.options().max_batch) *
                     static_cast<std::size_t>(engine.network().classes)) {}

std::size_t Evaluator::batches(std::size_t samples) const {
  const auto capacity = static_cast<std::size_t>(engine_.options().max_batch);
  return (samples + capacity - 1) / capacity;
}

std::size_t Evaluator::add_batch(std::span<const float> parameters, std::span<const Sample> samples,
                                 std::size_t first, LossSum& sum,
                                 const std::function<void(std::size_t, int)>& on_sample) {
  const auto n = static_cast<std::size_t>(fill_evaluation(samples, first, store_, batch_));
  const auto classes = static_cast<std::size_t>(engine_.network().classes);
  engine_.predict(batch_, parameters, std::span(probabilities_).first(n * classes));
  for (std::size_t i = 0; i < n; ++i) {
    const float* row = probabilities_.data() + i * classes;
    const auto best = static_cast<int>(std::max_element(row, row + classes) - row);
    const int label = samples[first + i].label;
    sum.loss -= std::log(std::max(static_cast<double>(row[label]), 1e-30));
    if (std::isnan(row[label])) sum.loss = std::nan("");
    sum.correct += best == label ? 1.0 : 0.0;
    if (on_sample) on_sample(first + i, best);
  }
  sum.samples += n;
  return n;
}

}  // namespace oida
