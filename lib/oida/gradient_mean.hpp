#pragma once
// exchange = allreduce: the synchronous comparator. Gradients are averaged in every step, in
// buckets that start while the backward pass still runs. What a lossy wire leaves out of a gradient
// it adds to the next.

#include <memory>

#include "core/aligned.hpp"
#include "oida/exchange_rule.hpp"

namespace oida {

class GradientMean final : public ExchangeRule {
 public:
  /// Collective.
  GradientMean(Unit& unit, Comm& comm, const RuleOptions& options);

  void begin(const ControlWords& words) override;
  StepResult step(std::uint64_t step, float rate) override;
  ControlWords end() override;
  ControlWords final_mean(const ControlWords& words) override;
  void restart() override;
  std::span<const float> agreed() const override { return unit_.x(); }
  bool agreed_is_finite() const override { return finite_; }
  std::vector<std::span<float>> values() override { return {exchange_->remainder()}; }
  std::span<const Flight> flights() const override { return {&flight_, 1}; }
  std::int64_t bytes_per_exchange() const override;

 private:
  void on_ready(std::size_t ready_from);
  void send_words();  // with the first bucket of a step
  void send_bucket(std::size_t first, std::size_t last);

  Unit& unit_;
  Comm& comm_;
  std::unique_ptr<Exchange> exchange_;
  float weight_;
  AlignedVector<float> words_;
  std::size_t unsent_ = 0;  // gradient elements not yet in flight: [0, unsent_)
  Poll poll_;
  bool finite_ = true;
  Flight flight_;
};

}  // namespace oida
