#pragma once
// The mean of the parameters along the last part of a run, which often does better than its end
// (Izmailov et al., "Averaging weights leads to wider optima and better generalization", UAI 2018).

#include <cstdint>
#include <span>

#include "core/aligned.hpp"

namespace oida {

/// Takes what all units agreed on, about kTaken times evenly over the last `share` of the steps:
/// every unit holds the same bits, and nothing travels for it.
class TailMean {
 public:
  static constexpr std::int64_t kTaken = 64;

  /// share = 0: nothing is ever due.
  TailMean(double share, std::int64_t total_steps);

  /// True when parameters are to be taken after the steps from `before` up to `after`.
  bool due(std::int64_t before, std::int64_t after) const;
  void take(std::span<const float> parameters);
  /// Forgets all: what was taken came from a path that was left.
  void restart();

  std::int64_t taken() const { return taken_; }
  std::span<const float> mean() const { return mean_; }
  /// What a checkpoint kept.
  void restore(std::int64_t taken, std::span<const float> mean);

 private:
  std::int64_t first_step_, every_;
  std::int64_t taken_ = 0;
  AlignedVector<float> mean_;
};

}  // namespace oida
