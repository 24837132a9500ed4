#pragma once
// How long steps took, of any number of steps in memory of a fixed size.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "oida/records.hpp"

namespace oida {

/// Counts in bins whose borders grow by the 64th root of 2, from 1 us to 2^34 us (4.8 h); what is
/// outside counts in the outermost bins. Least and greatest are exact. A quantile is the value of
/// rank round(q (n - 1)), ascending from 0, off by no more than half a bin: 2^(1/128) - 1 = 0.55 %.
class StepHistogram {
 public:
  void add(double seconds);
  void clear() { *this = {}; }
  StepTimes summary() const;

  /// For a checkpoint: least and greatest in seconds, then the counts; of one size always.
  std::vector<double> packed() const;
  static constexpr std::size_t kPackedSize = 2 + 34 * 64;
  /// @pre kPackedSize numbers. InputError where a count is none.
  void restore(std::span<const double> packed);

 private:
  static constexpr std::size_t kBins = kPackedSize - 2;
  double quantile_s(double q) const;

  std::array<std::uint64_t, kBins> counts_{};
  std::uint64_t steps_ = 0;
  double least_s_ = 0, greatest_s_ = 0;
};

}  // namespace oida
