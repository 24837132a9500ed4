#pragma once
// How units share what they learn. A round is `interleave` optimizer steps and one exchange.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "comm/exchange.hpp"
#include "oida/unit.hpp"

namespace oida {

enum class ExchangeKind { oida, allreduce, none };
ExchangeKind exchange_kind(const std::string& name);
std::string to_string(ExchangeKind kind);

/// Words that ride in every exchange and are summed over units, so that all units decide alike at
/// the same round.
struct ControlWords {
  float stop = 0;                // units asked to stop
  float non_finite = 0;          // units whose loss was not finite since the last exchange
  float checkpoint = 0;          // the main node's clock says that one is due
  float settled = 0;             // units whose part of the checkpoint on its way has ended
  float validation_loss = 0;     // of the oldest scored candidate: weight x mean loss
  float validation_correct = 0;  // weight x share of right answers
  float train_loss = 0;          // weight x mean loss since the last exchange
};
inline constexpr std::size_t kControlWords = sizeof(ControlWords) / sizeof(float);

/// The words as floats of an exchange buffer, and back.
void put(const ControlWords& words, std::span<float> into);
ControlWords take_words(std::span<const float> from);

/// One rule, seen from one unit. All units call the same members in the same order.
class ExchangeRule {
 public:
  virtual ~ExchangeRule() = default;

  /// Opens a round; `words` are this unit's.
  virtual void begin(const ControlWords& words) = 0;
  /// One optimizer step.
  virtual StepResult step(std::uint64_t step, float rate) = 0;
  /// Closes the round: merges and returns the sums of the words.
  virtual ControlWords end() = 0;
  /// Blocking mean of x over all units: x is equal on all units afterwards.
  virtual ControlWords final_mean(const ControlWords& words) = 0;

  /// The parameters that all units agreed on in the last end() or final_mean(): equal bits
  /// everywhere.
  virtual std::span<const float> agreed() const = 0;
  /// False when agreed() holds something that is not finite.
  virtual bool agreed_is_finite() const = 0;

  /// Of the last round: seconds on now_s() between which an operation was in flight.
  virtual double flight_start_s() const = 0;
  virtual double flight_end_s() const = 0;
  virtual std::int64_t bytes_per_exchange() const = 0;
};

/// `weight` = samples of this unit in a round / samples of all units. `exchange` may be null for
/// one unit. Both outlive the rule.
std::unique_ptr<ExchangeRule> make_rule(ExchangeKind kind, Unit& unit, Exchange* exchange,
                                        float weight);

}  // namespace oida
