#pragma once
// Who is how far in an asynchronous run, and who has to wait: stale synchronous parallel (Ho et
// al., "More effective distributed ML via a stale synchronous parallel parameter server", NIPS
// 2013, section 2).

#include <cstdint>
#include <span>
#include <vector>

namespace oida {

/// A unit's clock counts the gradients that it has brought. It is answered, that is given the
/// parameters for its next gradient, when its clock is at most `bound` ahead of the slowest unit's.
class Staleness {
 public:
  /// All clocks are 0, and all units compute.
  Staleness(int units, std::int64_t bound);

  /// `unit`, which computed, brought a gradient, and it was applied: those that are answered now,
  /// ascending.
  std::vector<int> arrived(int unit);
  bool computes(int unit) const { return computes_[static_cast<std::size_t>(unit)] != 0; }
  /// Gradients of all units.
  std::uint64_t applied() const { return applied_; }
  /// All have brought as many gradients. Nobody waits then.
  bool even() const;

  /// histogram()[k]: gradients that came when k others had been applied since their unit was
  /// answered; the last bin also holds all beyond. Exact up to 2^24 a bin.
  std::span<float> histogram() { return histogram_; }
  static constexpr std::size_t kBins = 64;

 private:
  std::int64_t slowest() const;

  std::int64_t bound_;
  std::uint64_t applied_ = 0;
  std::vector<std::int64_t> clocks_;
  std::vector<std::uint64_t> answered_at_;  // applied_ when the unit was answered
  std::vector<char> computes_;
  std::vector<float> histogram_;
};

}  // namespace oida
