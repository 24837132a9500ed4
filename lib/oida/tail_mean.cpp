#include "oida/tail_mean.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace oida {

TailMean::TailMean(double share, std::int64_t total_steps) {
  const auto steps = std::llround(share * static_cast<double>(total_steps));
  first_step_ = steps > 0 ? total_steps - steps : std::numeric_limits<std::int64_t>::max();
  every_ = std::max<std::int64_t>(1, steps / kTaken);
}

bool TailMean::due(std::int64_t before, std::int64_t after) const {
  return after > first_step_ && before / every_ != after / every_;
}

void TailMean::take(std::span<const float> parameters) {
  if (taken_ == 0) mean_.assign(parameters.size(), 0.0F);
  ++taken_;
  const auto share = 1.0F / static_cast<float>(taken_);
  for (std::size_t i = 0; i < mean_.size(); ++i) mean_[i] += share * (parameters[i] - mean_[i]);
}

void TailMean::restart() {
  taken_ = 0;
  mean_.clear();
}

void TailMean::restore(std::int64_t taken, std::span<const float> mean) {
  taken_ = taken;
  mean_.assign(mean.begin(), mean.end());
}

}  // namespace oida
