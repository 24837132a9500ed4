#include "oida/records.hpp"

#include <algorithm>
#include <limits>

namespace oida {

const char* to_string(Phase phase) {
  constexpr std::array<const char*, kPhases> kNames = {"data",     "compute",    "exposed wait",
                                                       "validate", "checkpoint", "other"};
  return kNames[static_cast<std::size_t>(phase)];
}

void PhaseClock::start(bool trace) {
  tracing_ = trace;
  running_ = true;
  phase_ = Phase::other;
  since_s_ = now_s();
}

Phase PhaseClock::enter(Phase phase) {
  const Phase before = phase_;
  if (!running_ || phase == before) return before;
  const double now = now_s();
  totals_[static_cast<std::size_t>(before)] += now - since_s_;
  if (tracing_) add_event({since_s_, now, to_string(before), 0});
  phase_ = phase;
  since_s_ = now;
  return before;
}

void PhaseClock::stop() {
  if (!running_) return;
  enter(phase_ == Phase::other ? Phase::compute : Phase::other);
  running_ = false;
}

void PhaseClock::add(const std::array<double, kPhases>& totals) {
  for (std::size_t i = 0; i < kPhases; ++i) totals_[i] += totals[i];
}

void PhaseClock::add_event(TraceEvent event) {
  if (!running_ || !tracing_ || trace_.size() == kMostTraceEvents) return;
  if (trace_.size() + 1 == kMostTraceEvents) event.name = "no more is kept of this rank";
  trace_.push_back(std::move(event));
}

double Timing::idle_share() const {
  double exposed = 0;
  for (const auto& unit : per_rank) exposed += unit.exposed_s;
  return train_s > 0 ? exposed / (static_cast<double>(ranks) * train_s) : 0;
}

double Timing::hidden_share() const {
  double exposed = 0;
  double in_flight = 0;
  for (const auto& unit : per_rank) {
    exposed += unit.exposed_s;
    in_flight += unit.exchange_s;
  }
  return in_flight > 0 ? 1 - exposed / in_flight : std::numeric_limits<double>::quiet_NaN();
}

double Timing::imbalance() const {
  double most = 0;
  double sum = 0;
  for (const auto& unit : per_rank) {
    most = std::max(most, unit.compute_s);
    sum += unit.compute_s;
  }
  return sum > 0 ? most * static_cast<double>(per_rank.size()) / sum - 1 : 0;
}

double Timing::mean_staleness() const {
  double gradients = 0;
  double late = 0;
  for (std::size_t k = 0; k < staleness.size(); ++k) {
    gradients += static_cast<double>(staleness[k]);
    late += static_cast<double>(k) * static_cast<double>(staleness[k]);
  }
  return gradients > 0 ? late / gradients : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace oida
