#pragma once
// exchange = server: the asynchronous comparator. Rank 0 keeps the parameters beside its own
// training.

#include <memory>
#include <vector>

#include "core/aligned.hpp"
#include "oida/exchange_rule.hpp"
#include "oida/staleness.hpp"

namespace oida {

///   step, every unit:  gradient at x, sent to rank 0;  x <- the answer, waited for
///   rank 0, for each gradient in the order of arrival, between its layers and while it waits:
///                      y <- optimizer(y, gradient) at rate x share of the unit's samples;
///                      y is the answer to all whom Staleness does not hold back
///   settle:            once all are even, x <- y on every unit
/// Control words go by an exchange of their own: the sums of a round are there once every unit has
/// begun it. Gradients and answers travel as fp32. The order of arrival depends on time, so runs
/// are not repeated bit by bit. adagrad_window counts its window in gradients.
class ParameterServer final : public ExchangeRule {
 public:
  /// Collective.
  ParameterServer(Unit& unit, Comm& comm, const RuleOptions& options);
  ~ParameterServer() override;

  void begin(const ControlWords& words) override;
  StepResult step(std::uint64_t step, float rate) override;
  ControlWords end() override;
  void settle() override;
  void restart() override;
  ControlWords final_mean(const ControlWords& words) override;
  std::span<const float> agreed() const override { return unit_.x(); }
  bool agreed_is_finite() const override { return finite_; }
  std::vector<std::span<float>> arrays() override;
  std::vector<std::span<float>> values() override;
  std::span<const Flight> flights() const override { return flights_; }
  std::int64_t exchanges() const override { return steps_; }
  std::int64_t bytes_per_exchange() const override;
  std::span<const float> staleness() override { return staleness_.histogram(); }

 private:
  bool is_server() const { return comm_.rank() == 0; }
  std::size_t size() const { return unit_.x().size(); }
  void apply(int unit, std::span<const float> gradient, float rate, float share);
  void answer(int unit);
  /// True when a gradient had come.
  bool serve();
  void ask(float rate);
  void wait(const std::function<bool()>& done);
  void note_flight(double start_s);

  Unit& unit_;
  Comm& comm_;
  float share_;
  std::function<void(int)> on_arrival_;
  std::unique_ptr<Exchange> exchange_;
  std::unique_ptr<Mailbox> mailbox_;
  AlignedVector<float> words_;
  AlignedVector<float> master_;  // y, on rank 0
  Staleness staleness_;          // likewise
  bool open_ = false;            // gradients may come
  bool serving_ = false;         // in serve()
  bool finite_ = true;
  Poll poll_;
  std::vector<Flight> flights_;
  std::int64_t steps_ = 0;  // of the round
};

}  // namespace oida
