#pragma once
// How units share what they learn. A round is `interleave` optimizer steps and one exchange.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "oida/merge_weights.hpp"
#include "oida/unit.hpp"

namespace oida {

enum class ExchangeKind { oida, allreduce, local, server, none };
ExchangeKind exchange_kind(const std::string& name);
std::string to_string(ExchangeKind kind);

/// Words that ride in every exchange and are summed over units, so that all units decide alike at
/// the same round.
struct ControlWords {
  float stop = 0;                // units asked to stop
  float non_finite = 0;          // units whose loss or parameters were not finite
  float checkpoint = 0;          // the main node's clock says that one is due
  float checkpoint_ending = 0;   // of the main node: CheckpointWriter::ending()
  float validation_loss = 0;     // of the oldest scored candidate: weight x mean loss
  float validation_correct = 0;  // weight x share of right answers
  float train_loss = 0;          // weight x mean loss since the last exchange
  float exposed_share = 0;       // weight x Interleave::exposed_share()
};
inline constexpr std::size_t kControlWords = sizeof(ControlWords) / sizeof(float);

/// The words as floats of an exchange buffer, and back.
void put(const ControlWords& words, std::span<float> into);
ControlWords take_words(std::span<const float> from);

/// Seconds on now_s().
struct Flight {
  double start_s = 0;
  double end_s = 0;
};
/// Through the hosts' memory: what always works.
inline constexpr const char* kHostWay = "host memory";

/// One rule, seen from one unit. All units call the same members in the same order.
class ExchangeRule {
 public:
  virtual ~ExchangeRule() = default;

  /// Opens a round; `words` are this unit's.
  virtual void begin(const ControlWords& words) = 0;
  /// One optimizer step.
  virtual StepResult step(std::uint64_t step, float rate) = 0;
  /// Closes the round and returns the sums of the words. The merge into x may be left to settle()
  /// or to the next begin().
  virtual ControlWords end() = 0;
  /// Between rounds: x is what the next round begins with, agreed() what all units hold. All units
  /// call it at the same rounds, and before the rule ends, unless final_mean() was the last.
  virtual void settle() {}
  /// Between rounds: x was set from outside, to the same bits on all units; what the rule remembers
  /// of the rounds before is void.
  virtual void restart() {}
  /// Blocking mean of x over all units: x is equal on all units afterwards.
  virtual ControlWords final_mean(const ControlWords& words) = 0;

  /// After settle() or final_mean(): the parameters that all units agreed on, equal bits
  /// everywhere.
  virtual std::span<const float> agreed() const = 0;
  /// False when agreed() holds something that is not finite, or a unit sent such.
  virtual bool agreed_is_finite() const = 0;

  /// What a checkpoint keeps of this unit's rule beside x, after settle(), to be read and to be
  /// written: arrays in the engine's flat order, and values whose number may depend on the
  /// placement.
  virtual std::vector<std::span<float>> arrays() { return {}; }
  virtual std::vector<std::span<float>> values() { return {}; }

  /// How what is sent gets from unit to unit.
  virtual std::string way() const { return kHostWay; }

  /// Collective, between rounds: from now on this is what travels between nodes.
  virtual void use(Wire /*wire*/) {}

  /// Of the last round: when an operation was in flight, ascending and apart.
  virtual std::span<const Flight> flights() const = 0;
  /// Of the last round.
  virtual std::int64_t exchanges() const { return 1; }
  virtual std::int64_t bytes_per_exchange() const = 0;
  /// Of an asynchronous rule on rank 0: how many gradients were applied k others late.
  virtual std::span<const float> staleness() { return {}; }
};

struct RuleOptions {
  ExchangeKind exchange = ExchangeKind::oida;
  MergeKind merge = MergeKind::mean;
  float share = 1;           // samples of this unit in a round / samples of all units
  Scorer* scorer = nullptr;  // for merges that weigh; outlives the rule
  Wire wire = Wire::fp32;
  int ranks_per_node = 0;  // as in ExchangeOptions
  /// Of means of parameters: where above 0, sgd's velocity is averaged, too, and this is its decay
  /// in a step.
  float momentum = 0;
  std::int64_t staleness = 4;  // of a server: steps that a unit may be ahead of the slowest
  /// Of a server, on rank 0: called for each gradient, in the order of arrival.
  std::function<void(int unit)> on_arrival;
  std::function<void(const std::string&)> say = {};  // a line about the way that is taken
};

/// Collective. One unit alone makes plain optimizer steps, whatever the exchange. Unit and comm
/// outlive the rule.
std::unique_ptr<ExchangeRule> make_rule(const RuleOptions& options, Unit& unit, Comm& comm);

}  // namespace oida
