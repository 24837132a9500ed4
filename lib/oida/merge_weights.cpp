#include "oida/merge_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace oida {

MergeKind merge_kind(const std::string& name) {
  if (name == "mean") return MergeKind::mean;
  if (name == "weighted") return MergeKind::weighted;
  if (name == "best") return MergeKind::best;
  throw InputError("oida.merge", "'" + name + "' is not one of mean, weighted, best");
}

Scorer::Scorer(Engine& engine, const PatchStore& store, std::vector<Sample> common,
               const TileLabels* labels)
    : evaluator_(engine, store, labels), samples_(std::move(common)) {
  if (samples_.empty()) throw Error("oida.merge", "there are no samples to score");
}

double Scorer::loss(std::span<const float> parameters, const std::function<void()>& between) {
  LossSum sum;
  for (std::size_t first = 0; first < samples_.size();) {
    first += evaluator_.add_batch(parameters, samples_, first, sum);
    between();
  }
  return sum.loss / static_cast<double>(sum.samples);
}

std::vector<double> weights_of(MergeKind kind, std::span<const float> losses) {
  double least = std::numeric_limits<double>::infinity();
  for (const float loss : losses) {
    if (std::isfinite(loss)) least = std::min(least, static_cast<double>(loss));
  }
  std::vector<double> weights;
  double sum = 0;
  for (const float loss : losses) {
    const double above = static_cast<double>(loss) - least;
    double weight = std::isfinite(above) ? std::exp(-above) : 0.0;
    if (kind == MergeKind::best) weight = above == 0.0 && sum == 0.0 ? 1.0 : 0.0;
    weights.push_back(weight);
    sum += weight;
  }
  if (sum == 0.0) return {};
  for (double& weight : weights) weight /= sum;
  return weights;
}

MergeWeights::MergeWeights(MergeKind kind, int unit, int units, float share)
    : kind_(kind),
      unit_(static_cast<std::size_t>(unit)),
      share_(share),
      weight_(share),
      losses_(static_cast<std::size_t>(units)) {}

void MergeWeights::share(double loss, Exchange& exchange) {
  std::fill(losses_.begin(), losses_.end(), 0.0F);
  losses_[unit_] = static_cast<float>(loss);
  exchange.start(losses_, losses_.size());
}

void MergeWeights::take() {
  const auto weights = weights_of(kind_, losses_);
  weight_ = weights.empty() ? share_ : static_cast<float>(weights[unit_]);
}

}  // namespace oida
