#pragma once
// exchange = oida: the mean of all units is in flight while the next steps run, and is merged with
// the correction that keeps what was learned meanwhile.

#include "core/aligned.hpp"
#include "oida/exchange_rule.hpp"

namespace oida {

///   begin:  s <- x;  start the sum of w s over all units
///   step:   optimizer step on x, polling between layers
///   end:    m <- the sum;  x <- x + (m - s)
class DelayedMean final : public ExchangeRule {
 public:
  DelayedMean(Unit& unit, Exchange& exchange, float weight);

  void begin(const ControlWords& words) override;
  StepResult step(std::uint64_t step, float rate) override;
  ControlWords end() override;
  ControlWords final_mean(const ControlWords& words) override;
  std::span<const float> agreed() const override { return mean(); }
  bool agreed_is_finite() const override { return finite_; }
  double flight_start_s() const override { return started_s_; }
  double flight_end_s() const override { return exchange_.ended_s(); }
  std::int64_t bytes_per_exchange() const override {
    return static_cast<std::int64_t>(travelling_.size() * sizeof(float));
  }

 private:
  std::span<const float> mean() const { return std::span(travelling_).first(sent_.size()); }
  void start(const ControlWords& words);
  ControlWords finish();

  Unit& unit_;
  Exchange& exchange_;
  float weight_;
  AlignedVector<float> sent_;        // s
  AlignedVector<float> travelling_;  // w s, then m; control words behind
  Poll poll_;
  bool finite_ = true;
  double started_s_ = 0;
};

}  // namespace oida
