#pragma once
// The weighted mean of all units' parameters as one exchange: what is sent, what comes back, how it
// is merged.

#include <memory>

#include "core/aligned.hpp"
#include "engine/device_sum.hpp"
#include "oida/exchange_rule.hpp"
#include "oida/flat_pass.hpp"

namespace oida {

///   start:   s <- x;  the sum of w s over all units begins
///   finish:  m <- the sum
///   settle:  x <- x + (m - s), at the latest with the next start, in one pass with it
/// A lossy wire carries w (s - b), b the last mean, and m is b + the sum: what the exchange leaves
/// out of a sum it adds to the next.
class ParameterMean {
 public:
  enum class Precision { wire, exact };

  /// Collective.
  ParameterMean(Unit& unit, Comm& comm, const RuleOptions& options);

  void start(const ControlWords& words, Precision precision = Precision::wire);
  /// Makes progress from within a step.
  void poll();
  ControlWords finish();
  void settle();
  /// x <- m in place of settle(): the same bits on every unit.
  void adopt();
  /// Where merges weigh: scores what was sent and shares the loss while it is in flight.
  void score();
  void restart();
  /// Collective.
  void use(Wire wire);

  /// m, after settle() or adopt().
  std::span<const float> mean() const;
  bool finite() const { return finite_; }
  double started_s() const { return started_s_; }
  double ended_s() const { return sums_there() ? ended_s_ : exchange_->ended_s(); }
  std::string way() const { return sums_there() ? there_->way() : kHostWay; }
  std::int64_t bytes() const;

  std::vector<std::span<float>> arrays();
  std::vector<std::span<float>> values();

 private:
  FlatArrays flat_arrays();
  /// Where the unit's engine keeps x, and what travels is x itself: the merge happens there.
  ResidentTraining* resident();
  void send_resident(ResidentTraining& resident);
  /// Collective: units whose engines can sum among themselves do, if a test shows that it works.
  void find_way();
  bool sums_there() const { return there_ != nullptr && base_.empty(); }
  /// Opens the flight of what has come from there; true when it has.
  bool take_off();
  void fly(bool finite);
  std::size_t size() const { return sent_.size(); }
  bool differences() const { return precision_ == Precision::wire && !base_.empty(); }

  Unit& unit_;
  Comm& comm_;
  RuleOptions options_;
  MergeWeights weights_;
  std::unique_ptr<Exchange> exchange_;
  AlignedVector<float> sent_;  // s
  AlignedVector<float> base_;  // b, for a lossy wire
  Precision precision_ = Precision::wire;
  DeviceSum* there_ = nullptr;
  AlignedVector<float> sum_;  // that came from there, control words behind it
  double ended_s_ = 0;
  ControlWords words_;
  bool awaited_ = false;  // what is sent is on its way from the engine
  bool pending_ = false;  // m has come and is not merged yet
  bool scored_ = false;   // in this round
  bool finite_ = true;
  double started_s_ = 0;
};

/// Bytes of one sum of `floats`: between nodes what this unit's node sends, on one node the array
/// that each unit hands to the others.
std::int64_t exchange_bytes(const Comm& comm, const Exchange& exchange, std::size_t floats,
                            std::size_t exact);

}  // namespace oida
