#pragma once
// How many optimizer steps a unit takes while one exchange is in flight, and in what form it
// travels.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "comm/comm.hpp"

namespace oida {

/// (first round, steps a round), ascending; as stored in run.json.
using InterleavePlan = std::vector<std::pair<std::int64_t, int>>;
/// (first round, wire), likewise.
using WirePlan = std::vector<std::pair<std::int64_t, Wire>>;

/// Measured in one round of one unit, in seconds.
struct RoundTimes {
  double exchange_s = 0;  // in flight
  double step_s = 0;      // mean of the steps
  double exposed_s = 0;   // posting, polls and waits of the main thread
  double round_s = 0;     // all of it
};

/// fixed: one value. auto: the first rounds run with 1 and are measured, then all units agree on
/// the smallest value whose compute time is at least 1.25 x the 95th percentile of the exchange
/// time, from the widest wire to the narrowest until one needs no more than 1, and keep the widest
/// of those that need least. Later they agree anew on the value, at a round that all know, where
/// the exchange is exposed for more than a hundredth of the time; a network that one step hides
/// keeps one. plan: replays an earlier run.
class Interleave {
 public:
  static Interleave fixed(int steps, Wire wire = Wire::fp32);
  /// `wires` to try, the widest first.
  static Interleave automatic(std::vector<Wire> wires = {Wire::fp32});
  static Interleave replay(InterleavePlan plan, WirePlan wires = {{0, Wire::fp32}});

  int steps(std::int64_t round) const;
  Wire wire(std::int64_t round) const;
  /// Rounds at most that are measured and count as warm-up; 0 when nothing is to be tuned (any
  /// more).
  std::int64_t tuning_rounds() const;

  void record(const RoundTimes& times);
  /// The share of its time that the exchange was exposed to this unit since the last agreement, for
  /// the words of the next exchange; 0 but when it is time to look.
  double exposed_share(std::int64_t round) const;
  /// Collective. After round `round` (0-based), whose words bring the mean of the units'
  /// exposed_share(): agrees on the values from the next round on, when tuning rounds are over or
  /// too much is exposed.
  void settle(std::int64_t round, double mean_exposed_share, Comm& comm);

  /// From `round` on it is 1, and nothing is measured any more.
  void end_with_one(std::int64_t round);

  const InterleavePlan& plan() const { return plan_; }
  const WirePlan& wire_plan() const { return wire_plan_; }
  void restore(InterleavePlan plan, WirePlan wires, bool tuned, std::int64_t round);
  bool tuned() const { return tuned_; }

  static constexpr std::int64_t kTuningRounds = 12;
  static constexpr int kMostSteps = 64;
  static constexpr int kMostForCost = 8;  // more would cost accuracy

 private:
  int agree_on_steps(Comm& comm) const;
  void tune(std::int64_t round, Comm& comm);
  void watch_from(std::int64_t round);

  InterleavePlan plan_{{0, 1}};
  WirePlan wire_plan_{{0, Wire::fp32}};
  bool automatic_ = false;
  bool tuned_ = true;
  std::vector<Wire> wires_;
  std::vector<std::pair<Wire, int>> tried_;  // with the steps that each needs
  std::vector<double> exchange_s_, step_s_;  // of the last rounds
  std::int64_t look_at_round_ = 0;           // next look at the wait
  std::int64_t look_after_ = 0;         // rounds between looks, longer when one changed nothing
  double exposed_s_ = 0, round_s_ = 0;  // since the last look
};

/// An exchange costs the main thread a time c, of which `exposed_share` of the rounds of `steps`
/// steps tells: the steps that make it a hundredth, c / (tau step_s + c) <= 0.01; never over
/// kMostForCost.
int interleave_for_cost(int steps, double exposed_share);

/// The widest of the wires that need the fewest steps; `tried` goes from wide to narrow.
std::pair<Wire, int> best_wire(const std::vector<std::pair<Wire, int>>& tried);

/// The smallest number of steps that hides an exchange: ceil(1.25 x p95 of the exchange time /
/// median step time), in [1, kMostSteps]. The first two measurements are left out (cold caches).
int smallest_hiding_interleave(std::vector<double> exchange_s, std::vector<double> step_s);

}  // namespace oida
