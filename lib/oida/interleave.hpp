#pragma once
// How many optimizer steps a unit takes while one exchange is in flight.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "comm/comm.hpp"

namespace oida {

/// (first round, steps a round), ascending; as stored in run.json.
using InterleavePlan = std::vector<std::pair<std::int64_t, int>>;

/// fixed: one value. auto: the first rounds run with 1 and are measured, then all units agree on
/// the smallest value whose compute time is at least 1.25 x the 95th percentile of the exchange
/// time. plan: replays the values of an earlier run.
class Interleave {
 public:
  static Interleave fixed(int steps);
  static Interleave automatic();
  static Interleave replay(InterleavePlan plan);

  int steps(std::int64_t round) const;
  /// Rounds that are measured and count as warm-up; 0 when nothing is to be tuned (any more).
  std::int64_t tuning_rounds() const { return tuned_ ? 0 : kTuningRounds; }

  /// Measurements of one round of one unit.
  void record(double exchange_s, double step_s);
  /// Collective. After round `round` (0-based) of the tuning: agrees on the value from the next
  /// round on, when the tuning rounds are over.
  void settle(std::int64_t round, Comm& comm);

  const InterleavePlan& plan() const { return plan_; }
  void restore(InterleavePlan plan, bool tuned);
  bool tuned() const { return tuned_; }

  static constexpr std::int64_t kTuningRounds = 12;
  static constexpr int kMostSteps = 64;

 private:
  InterleavePlan plan_{{0, 1}};
  bool tuned_ = true;
  std::vector<double> exchange_s_, step_s_;
};

/// The smallest number of steps that hides an exchange: ceil(1.25 x p95 of the exchange time /
/// median step time), in [1, kMostSteps]. The first two measurements are left out (cold caches).
int smallest_hiding_interleave(std::vector<double> exchange_s, std::vector<double> step_s);

}  // namespace oida
