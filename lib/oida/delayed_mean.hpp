#pragma once
// exchange = oida: the mean of all units is in flight while the next steps run, and is merged with
// the correction that keeps what was learned meanwhile.

#include "oida/parameter_mean.hpp"

namespace oida {

///   begin:  s <- x;  start the sum of w s over all units
///   step:   optimizer step on x, polling between layers
///   end:    m <- the sum;  x <- x + (m - s)
class DelayedMean final : public ExchangeRule {
 public:
  DelayedMean(Unit& unit, Comm& comm, const RuleOptions& options);

  void begin(const ControlWords& words) override { mean_.start(words); }
  StepResult step(std::uint64_t step, float rate) override;
  ControlWords end() override { return mean_.finish(); }
  void settle() override { mean_.settle(); }
  void restart() override { mean_.restart(); }
  ControlWords final_mean(const ControlWords& words) override;
  std::span<const float> agreed() const override { return mean_.mean(); }
  bool agreed_is_finite() const override { return mean_.finite(); }
  std::vector<std::span<float>> arrays() override { return mean_.arrays(); }
  std::vector<std::span<float>> values() override { return mean_.values(); }
  std::string way() const override { return mean_.way(); }
  void use(Wire wire) override { mean_.use(wire); }
  double flight_start_s() const override { return mean_.started_s(); }
  double flight_end_s() const override { return mean_.ended_s(); }
  std::int64_t bytes_per_exchange() const override { return mean_.bytes(); }

 private:
  Unit& unit_;
  ParameterMean mean_;
  Poll poll_;
};

}  // namespace oida
