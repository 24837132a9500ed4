#include "oida/delayed_mean.hpp"

namespace oida {

DelayedMean::DelayedMean(Unit& unit, Comm& comm, const RuleOptions& options)
    : unit_(unit), mean_(unit, comm, options), poll_([this](std::size_t) { mean_.poll(); }) {}

StepResult DelayedMean::step(std::uint64_t step, float rate) {
  mean_.score();
  return unit_.train(step, rate, poll_);
}

ControlWords DelayedMean::final_mean(const ControlWords& words) {
  mean_.start(words, ParameterMean::Precision::exact);
  const auto sums = mean_.finish();
  mean_.adopt();
  return sums;
}

}  // namespace oida
