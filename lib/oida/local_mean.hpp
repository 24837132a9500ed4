#pragma once
// exchange = local: steps on one's own, then a mean that all wait for. A comparator.

#include "oida/parameter_mean.hpp"

namespace oida {

///   step:  optimizer step on x
///   end:   m <- the sum of w x over all units, waited for;  x <- m
class LocalMean final : public ExchangeRule {
 public:
  LocalMean(Unit& unit, Comm& comm, const RuleOptions& options)
      : unit_(unit), mean_(unit, comm, options) {}

  void begin(const ControlWords& words) override { words_ = words; }
  StepResult step(std::uint64_t step, float rate) override;
  ControlWords end() override { return mean(words_, ParameterMean::Precision::wire); }
  void restart() override { mean_.restart(); }
  ControlWords final_mean(const ControlWords& words) override {
    return mean(words, ParameterMean::Precision::exact);
  }
  std::span<const float> agreed() const override { return unit_.x(); }
  bool agreed_is_finite() const override { return mean_.finite(); }
  std::vector<std::span<float>> arrays() override { return mean_.arrays(); }
  std::vector<std::span<float>> values() override { return mean_.values(); }
  std::string way() const override { return mean_.way(); }
  void use(Wire wire) override { mean_.use(wire); }
  double flight_start_s() const override { return mean_.started_s(); }
  double flight_end_s() const override { return mean_.ended_s(); }
  std::int64_t bytes_per_exchange() const override { return mean_.bytes(); }

 private:
  ControlWords mean(const ControlWords& words, ParameterMean::Precision precision);

  Unit& unit_;
  ParameterMean mean_;
  ControlWords words_;
};

}  // namespace oida
