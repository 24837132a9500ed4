#pragma once
// The weighted mean of all units' parameters as one exchange: what is sent, what comes back, how it
// is merged.

#include <functional>

#include "core/aligned.hpp"
#include "oida/exchange_rule.hpp"
#include "oida/flat_pass.hpp"

namespace oida {

///   start:   s <- x;  the sum of w s over all units begins
///   finish:  m <- the sum
///   settle:  x <- x + (m - s), at the latest with the next start, in one pass with it
class ParameterMean {
 public:
  ParameterMean(Unit& unit, Exchange& exchange, const RuleOptions& options);

  void start(const ControlWords& words);
  /// Makes progress from within a step.
  void poll();
  ControlWords finish();
  void settle();
  /// x <- m after finish(): the same bits on every unit.
  void adopt();
  /// Where merges weigh: scores what was sent and shares the loss while it is in flight.
  void score();
  void restart();

  std::span<const float> mean() const { return std::span(buffer_).first(sent_.size()); }
  bool finite() const { return finite_; }
  double started_s() const { return started_s_; }
  double ended_s() const { return exchange_.ended_s(); }
  std::int64_t bytes() const { return static_cast<std::int64_t>(buffer_.size() * sizeof(float)); }

  std::vector<double> numbers() const { return {static_cast<double>(weights_.weight())}; }
  void restore(const std::vector<double>& numbers);

 private:
  FlatArrays arrays();

  Unit& unit_;
  Exchange& exchange_;
  MergeWeights weights_;
  Scorer* scorer_;
  AlignedVector<float> sent_;    // s
  AlignedVector<float> buffer_;  // w s, then m; control words behind
  bool pending_ = false;         // m has come and is not merged yet
  bool scored_ = false;          // in this round
  bool finite_ = true;
  double started_s_ = 0;
};

}  // namespace oida
