#pragma once
// exchange = local: steps on one's own, then a mean that all wait for. A comparator.

#include "oida/mean_rule.hpp"

namespace oida {

///   step:  optimizer step on x
///   end:   m <- the sum of w x over all units, waited for;  x <- m
///          and likewise the velocity where it travels
class LocalMean final : public MeanRule {
 public:
  using MeanRule::MeanRule;

  void begin(const ControlWords& words) override { words_ = words; }
  StepResult step(std::uint64_t step, float rate) override;
  ControlWords end() override { return adopt_mean(words_, ParameterMean::Precision::wire); }

 private:
  ControlWords words_;
};

}  // namespace oida
