#include "polsar/normaliser.hpp"

#include <cmath>
#include <string>

#include "core/error.hpp"

namespace oida {
namespace {

/// A variance below this share of the mean square is rounding: the channel is constant.
constexpr double kConstant = 1e-9;

}  // namespace

NormaliserFit::NormaliserFit(int channels) : sums_(1 + 2 * static_cast<std::size_t>(channels)) {}

void NormaliserFit::add(const float* pixel) {
  const std::size_t channels = sums_.size() / 2;
  sums_[0] += 1.0;
  for (std::size_t c = 0; c < channels; ++c) {
    const auto value = static_cast<double>(pixel[c]);
    sums_[1 + c] += value;
    sums_[1 + channels + c] += value * value;
  }
}

Normaliser Normaliser::fit(const NormaliserFit& sums) {
  const auto values = sums.sums();
  const std::size_t channels = values.size() / 2;
  const double count = values[0];
  if (!(count >= 1.0)) throw Error("normaliser", "no training pixel to fit on");

  Normaliser normaliser;
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = values[1 + c] / count;
    const double mean_square = values[1 + channels + c] / count;
    const double variance = mean_square - mean * mean;
    if (!std::isfinite(variance)) {
      throw Error("normaliser",
                  "channel " + std::to_string(c) + " holds values that are not finite");
    }
    const bool constant = variance <= kConstant * mean_square;
    normaliser.mean.push_back(static_cast<float>(mean));
    normaliser.inverse_deviation.push_back(
        constant ? 1.0F : static_cast<float>(1.0 / std::sqrt(variance)));
  }
  return normaliser;
}

void Normaliser::apply(FeatureWindow& window) const {
  const auto channels = static_cast<std::size_t>(window.channels);
  if (mean.size() != channels || inverse_deviation.size() != channels) {
    throw Error("normaliser", "fitted on " + std::to_string(mean.size()) +
                                  " channels, applied to " + std::to_string(channels));
  }
  for (std::size_t i = 0; i < window.valid.size(); ++i) {
    if (window.valid[i] == 0) continue;
    float* pixel = window.values.data() + i * channels;
    for (std::size_t c = 0; c < channels; ++c) {
      pixel[c] = (pixel[c] - mean[c]) * inverse_deviation[c];
    }
  }
}

}  // namespace oida
