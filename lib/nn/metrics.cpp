#include "nn/metrics.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "core/error.hpp"

namespace oida {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::size_t index(const Confusion& confusion, int truth, int predicted) {
  const int classes = confusion.classes();
  if (truth < 0 || truth >= classes || predicted < 0 || predicted >= classes) {
    throw Error("confusion matrix", "classes " + std::to_string(truth) + ", " +
                                        std::to_string(predicted) + ", allowed: 0 to " +
                                        std::to_string(classes - 1));
  }
  return static_cast<std::size_t>(truth) * static_cast<std::size_t>(classes) +
         static_cast<std::size_t>(predicted);
}

/// Samples by true class and by predicted class.
struct Margins {
  std::vector<double> truth, predicted;
  double correct = 0;
};

Margins margins_of(const Confusion& confusion) {
  const auto classes = static_cast<std::size_t>(confusion.classes());
  Margins margins{std::vector<double>(classes), std::vector<double>(classes)};
  for (std::size_t t = 0; t < classes; ++t) {
    for (std::size_t p = 0; p < classes; ++p) {
      const auto count = static_cast<double>(confusion.counts()[t * classes + p]);
      margins.truth[t] += count;
      margins.predicted[p] += count;
      if (t == p) margins.correct += count;
    }
  }
  return margins;
}

ClassScore class_score(double hits, double truth, double predicted) {
  if (truth == 0.0) return {0, kNone, kNone, kNone, kNone};
  return {static_cast<std::int64_t>(truth), hits / truth, predicted > 0.0 ? hits / predicted : 0.0,
          2.0 * hits / (truth + predicted), hits / (truth + predicted - hits)};
}

double kappa_of(const Margins& margins, double n) {
  const double chance = std::inner_product(margins.truth.begin(), margins.truth.end(),
                                           margins.predicted.begin(), 0.0) /
                        (n * n);
  return chance == 1.0 ? kNone : (margins.correct / n - chance) / (1.0 - chance);
}

double mean_of(const std::vector<ClassScore>& classes, const std::vector<bool>& trained,
               double ClassScore::*field) {
  double sum = 0.0;
  int counted = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (classes[c].samples == 0 || !trained[c]) continue;
    sum += classes[c].*field;
    ++counted;
  }
  return counted == 0 ? kNone : sum / counted;
}

}  // namespace

Confusion::Confusion(int classes)
    : classes_(classes), counts_(static_cast<std::size_t>(classes * classes)) {}

void Confusion::add(int truth, int predicted, std::int64_t count) {
  counts_[index(*this, truth, predicted)] += count;
}

std::int64_t Confusion::at(int truth, int predicted) const {
  return counts_[index(*this, truth, predicted)];
}

std::int64_t Confusion::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
}

double block_standard_error(std::span<const BlockScore> blocks) {
  double samples = 0, correct = 0, squares = 0;
  for (const BlockScore& block : blocks) {
    samples += static_cast<double>(block.samples);
    correct += static_cast<double>(block.correct);
  }
  for (const BlockScore& block : blocks) {
    const double off =
        static_cast<double>(block.correct) - correct / samples * static_cast<double>(block.samples);
    squares += off * off;
  }
  const auto n = static_cast<double>(blocks.size());
  return n < 2 ? kNone : std::sqrt(n / (n - 1) * squares) / samples;
}

float relative_entropy(std::span<const float> probabilities) {
  double sum = 0.0;
  for (const float p : probabilities) {
    if (!(p <= 0.0F)) sum -= static_cast<double>(p) * std::log(static_cast<double>(p));
  }
  return static_cast<float>(sum / std::log(static_cast<double>(probabilities.size())));
}

Scores score(const Confusion& confusion, const std::vector<bool>& trained) {
  if (trained.size() != static_cast<std::size_t>(confusion.classes())) {
    throw Error("scores", std::to_string(trained.size()) + " flags for " +
                              std::to_string(confusion.classes()) + " classes");
  }
  const Margins margins = margins_of(confusion);
  Scores scores;
  scores.n = confusion.total();
  const auto n = static_cast<double>(scores.n);
  for (std::size_t c = 0; c < trained.size(); ++c) {
    const int k = static_cast<int>(c);
    scores.per_class.push_back(class_score(static_cast<double>(confusion.at(k, k)),
                                           margins.truth[c], margins.predicted[c]));
  }
  scores.oa = scores.n == 0 ? kNone : margins.correct / n;
  scores.kappa = scores.n == 0 ? kNone : kappa_of(margins, n);
  scores.aa = mean_of(scores.per_class, trained, &ClassScore::recall);
  scores.f1_macro = mean_of(scores.per_class, trained, &ClassScore::f1);
  scores.miou = mean_of(scores.per_class, trained, &ClassScore::iou);
  return scores;
}

}  // namespace oida
