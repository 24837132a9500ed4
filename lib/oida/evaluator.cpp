#include "oida/evaluator.hpp"

#include <algorithm>
#include <cmath>

namespace oida {

int best_class(std::span<const float> probabilities) {
  return static_cast<int>(std::ranges::max_element(probabilities) - probabilities.begin());
}

Evaluator::Evaluator(Engine& engine, const PatchStore& store, const TileLabels* labels)
    : engine_(engine),
      store_(store),
      labels_(labels),
      batch_(make_batch(engine)),
      probabilities_(batch_.labels.size() * static_cast<std::size_t>(engine.network().classes)) {}

std::size_t Evaluator::batches(std::size_t samples) const {
  const auto capacity = static_cast<std::size_t>(engine_.options().max_batch);
  return (samples + capacity - 1) / capacity;
}

std::size_t Evaluator::add_batch(std::span<const float> parameters, std::span<const Sample> samples,
                                 std::size_t first, LossSum& sum, const OnSample& on_sample) {
  const auto n = static_cast<std::size_t>(fill_evaluation(samples, first, store_, batch_, labels_));
  const auto classes = static_cast<std::size_t>(engine_.network().classes);
  const std::size_t rows = n * batch_.sample_labels;
  engine_.predict(batch_, parameters, std::span(probabilities_).first(rows * classes));
  add_rows(rows, sum);
  for (std::size_t i = 0; on_sample && i < n; ++i) {
    on_sample(first + i, std::span(probabilities_).subspan(i * classes, classes));
  }
  return n;
}

void Evaluator::add_rows(std::size_t rows, LossSum& sum) const {
  const auto classes = static_cast<std::size_t>(engine_.network().classes);
  for (std::size_t i = 0; i < rows; ++i) {
    const int label = batch_.labels[i];
    if (label < 0) continue;
    const auto row = std::span(probabilities_).subspan(i * classes, classes);
    const float right = row[static_cast<std::size_t>(label)];
    sum.loss -= std::log(std::max(static_cast<double>(right), 1e-30));
    if (std::isnan(right)) sum.loss = std::nan("");
    sum.correct += best_class(row) == label ? 1.0 : 0.0;
    ++sum.samples;
  }
}

}  // namespace oida
