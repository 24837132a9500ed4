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
/// Where the velocity v of sgd travels, too, u is what was sent of it and n the sum of w u, and
/// after t steps v <- v + momentum^t (n - u): what is left of u becomes what would be left of n.
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
  /// An optimizer step was made.
  void stepped() { kept_ *= options_.momentum; }
  ControlWords finish();
  void settle();
  /// x <- m, v <- n in place of settle(): the same bits on every unit.
  void adopt();
  /// Where merges weigh: scores what was sent and shares the loss while it is in flight.
  void score();
  void restart();
  /// Collective.
  void use(Wire wire);

  /// m, after settle() or adopt().
  std::span<const float> mean() const { return mean(0); }
  bool finite() const { return finite_; }
  const Flight& flight() const { return flight_; }
  std::string way() const { return sums_there() ? there_->way() : kHostWay; }
  std::int64_t bytes() const;

  std::vector<std::span<float>> arrays();
  std::vector<std::span<float>> values();

 private:
  /// The parameters and, where it travels, the velocity.
  struct Part {
    AlignedVector<float> sent;  // s
    AlignedVector<float> base;  // b, for a lossy wire
  };

  bool lossy() const { return !parts_.front().base.empty(); }
  bool differences() const { return precision_ == Precision::wire && lossy(); }
  std::size_t size() const { return parts_.front().sent.size(); }
  std::size_t travelling() const { return parts_.size() * size(); }
  std::span<float> live(std::size_t part);
  std::span<const float> mean(std::size_t part) const;
  FlatArrays flat_arrays(std::size_t part);
  bool send(float weight);
  /// What travels is x alone and as it is, so that it may be sent and merged where the engine keeps
  /// it.
  bool there_may_be_merged() const { return !lossy() && parts_.size() == 1 && !weights_.scores(); }
  ResidentTraining* resident();
  void send_resident(ResidentTraining& resident);
  /// Collective: units whose engines can sum among themselves do, if a test shows that it works.
  void find_way();
  bool sums_there() const { return there_ != nullptr && !lossy(); }
  /// Opens the flight of what has come from there; true when it has.
  bool take_off();
  void fly(bool finite);

  Unit& unit_;
  Comm& comm_;
  RuleOptions options_;
  MergeWeights weights_;
  std::unique_ptr<Exchange> exchange_;
  std::vector<Part> parts_;
  float kept_ = 1;  // share of the velocity sent that is still there
  Precision precision_ = Precision::wire;
  DeviceSum* there_ = nullptr;
  AlignedVector<float> sum_;  // that came from there, control words behind it
  ControlWords words_;
  bool awaited_ = false;  // what is sent is on its way from the engine
  bool pending_ = false;  // m has come and is not merged yet
  bool scored_ = false;   // in this round
  bool finite_ = true;
  Flight flight_;
};

/// Bytes of one sum of `floats`: between nodes what this unit's node sends, on one node the array
/// that each unit hands to the others.
std::int64_t exchange_bytes(const Comm& comm, const Exchange& exchange, std::size_t floats,
                            std::size_t exact);

}  // namespace oida
