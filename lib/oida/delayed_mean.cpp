#include "oida/delayed_mean.hpp"

namespace oida {

DelayedMean::DelayedMean(Unit& unit, Comm& comm, const RuleOptions& options)
    : MeanRule(unit, comm, options), poll_([this](std::size_t) { mean_.poll(); }) {}

StepResult DelayedMean::step(std::uint64_t step, float rate) {
  mean_.score();
  const auto result = unit_.train(step, rate, poll_);
  mean_.stepped();
  return result;
}

}  // namespace oida
