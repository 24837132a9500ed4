#include "oida/parameter_mean.hpp"

#include <algorithm>
#include <cmath>

namespace oida {

ParameterMean::ParameterMean(Unit& unit, Exchange& exchange, const RuleOptions& options)
    : unit_(unit),
      exchange_(exchange),
      weights_(options.merge, options.unit, options.units, options.share),
      scorer_(options.scorer),
      sent_(unit.x().size()),
      buffer_(unit.x().size() + kControlWords) {}

FlatArrays ParameterMean::arrays() {
  return {unit_.x(), sent_, std::span(buffer_).first(sent_.size()),
          unit_.engine().options().threads};
}

void ParameterMean::start(const ControlWords& words) {
  unit_.clock().enter(Phase::other);
  const bool finite =
      pending_ ? merge_and_send(arrays(), weights_.weight()) : send(arrays(), weights_.weight());
  pending_ = false;
  scored_ = false;
  ControlWords own = words;
  if (!finite) own.non_finite = 1.0F;
  put(own, std::span(buffer_).subspan(sent_.size()));
  unit_.clock().enter(Phase::exposed);
  started_s_ = now_s();
  exchange_.start(buffer_);
  unit_.clock().enter(Phase::other);
}

void ParameterMean::poll() {
  const Phase before = unit_.clock().enter(Phase::exposed);
  exchange_.poll();
  unit_.clock().enter(before);
}

void ParameterMean::score() {
  if (scored_ || !weights_.scores()) return;
  scored_ = true;
  unit_.clock().enter(Phase::validate);
  const double loss = scorer_->loss(sent_, [this] { poll(); });
  unit_.clock().enter(Phase::exposed);
  weights_.share(loss, exchange_);
  unit_.clock().enter(Phase::other);
}

ControlWords ParameterMean::finish() {
  unit_.clock().enter(Phase::exposed);
  exchange_.finish();
  unit_.clock().enter(Phase::other);
  if (scored_) weights_.take();
  pending_ = true;
  const auto sums = take_words(std::span(buffer_).subspan(sent_.size()));
  finite_ = sums.non_finite == 0.0F;
  return sums;
}

void ParameterMean::settle() {
  if (!pending_) return;
  unit_.clock().enter(Phase::other);
  merge(arrays());
  pending_ = false;
}

void ParameterMean::adopt() {
  const auto m = mean();
  std::copy(m.begin(), m.end(), unit_.x().begin());
  finite_ = finite_ && std::all_of(m.begin(), m.end(), [](float v) { return std::isfinite(v); });
  pending_ = false;
}

void ParameterMean::restart() {
  pending_ = false;
  weights_.restart();
}

void ParameterMean::restore(const std::vector<double>& numbers) {
  weights_.restore(static_cast<float>(numbers.at(0)));
}

}  // namespace oida
