#pragma once
// Learning rate as a function of the share of training done.

#include <string>

namespace oida {

struct Schedule {
  enum class Kind { constant, one_cycle, cosine, warm_up };
  Kind kind = Kind::one_cycle;
  float peak = 0.05F;
  /// one_cycle (Smith and Topin, arXiv 1708.07120): linear from peak / 25 to peak over the first
  /// `warm_up` share, then cosine to peak / 10000. cosine: linear warm-up from 0, then cosine to 0
  /// (Loshchilov and Hutter, ICLR 2017, one period). warm_up: linear from 0, then constant (Goyal
  /// et al., arXiv 1706.02677).
  float warm_up = 0.3F;

  /// `progress` in [0, 1].
  float rate(double progress) const;
};

Schedule::Kind schedule_kind(const std::string& name);

}  // namespace oida
