#pragma once
// exchange = oida: the mean of all units is in flight while the next steps run, and is merged with
// the correction that keeps what was learned meanwhile.

#include "oida/mean_rule.hpp"

namespace oida {

///   begin:  s <- x;  start the sum of w s over all units
///   step:   optimizer step on x, polling between layers
///   end:    m <- the sum;  x <- x + (m - s), and the velocity likewise where it travels
class DelayedMean final : public MeanRule {
 public:
  /// Collective.
  DelayedMean(Unit& unit, Comm& comm, const RuleOptions& options);

  void begin(const ControlWords& words) override { mean_.start(words); }
  StepResult step(std::uint64_t step, float rate) override;
  ControlWords end() override { return mean_.finish(); }

 private:
  Poll poll_;
};

}  // namespace oida
