#pragma once
// What the rules that average parameters have in common.

#include "oida/parameter_mean.hpp"

namespace oida {

/// Rules differ in when the mean is taken and how it is merged: begin(), step(), end().
class MeanRule : public ExchangeRule {
 public:
  /// Collective.
  MeanRule(Unit& unit, Comm& comm, const RuleOptions& options);

  void settle() override { mean_.settle(); }
  void restart() override { mean_.restart(); }
  ControlWords final_mean(const ControlWords& words) override;
  std::span<const float> agreed() const override { return mean_.mean(); }
  bool agreed_is_finite() const override { return mean_.finite(); }
  std::vector<std::span<float>> arrays() override { return mean_.arrays(); }
  std::vector<std::span<float>> values() override { return mean_.values(); }
  void use(Wire wire) override { mean_.use(wire); }
  std::string way() const override { return mean_.way(); }
  std::span<const Flight> flights() const override { return {&mean_.flight(), 1}; }
  std::int64_t bytes_per_exchange() const override { return mean_.bytes(); }

 protected:
  /// The mean of x, waited for;  x <- m.
  ControlWords adopt_mean(const ControlWords& words, ParameterMean::Precision precision);

  Unit& unit_;
  ParameterMean mean_;
};

}  // namespace oida
