#pragma once
// Zero mean and unit variance a channel, fitted on training pixels only.

#include <span>
#include <vector>

#include "polsar/features.hpp"

namespace oida {

/// Sums over training pixels; may be added up over ranks before the fit.
/// Layout of `sums`: [count, sum of channel 0.., sum of squares of channel 0..].
class NormaliserFit {
 public:
  explicit NormaliserFit(int channels);
  void add(const float* pixel);
  std::span<double> sums() { return sums_; }
  std::span<const double> sums() const { return sums_; }

 private:
  std::vector<double> sums_;
};

struct Normaliser {
  std::vector<float> mean;
  std::vector<float> inverse_deviation;  // 1 where a channel is constant

  static Normaliser fit(const NormaliserFit& sums);
  /// In place, valid pixels only: the others stay zero, the mean of a normalised channel.
  void apply(FeatureWindow& window) const;
};

}  // namespace oida
