#include "oida/step_times.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "oida/archive_read.hpp"

namespace oida {

namespace {

constexpr double kFirstBorder_s = 1e-6;
constexpr double kBinsPerDoubling = 64;

}  // namespace

void StepHistogram::add(double seconds) {
  const double doublings = std::log2(std::max(seconds, kFirstBorder_s) / kFirstBorder_s);
  const auto bin = static_cast<std::size_t>(kBinsPerDoubling * doublings);
  ++counts_[std::min(bin, kBins - 1)];
  least_s_ = steps_ == 0 ? seconds : std::min(least_s_, seconds);
  greatest_s_ = std::max(greatest_s_, seconds);
  ++steps_;
}

double StepHistogram::quantile_s(double q) const {
  const auto rank = static_cast<std::uint64_t>(std::llround(q * static_cast<double>(steps_ - 1)));
  std::size_t bin = 0;
  for (std::uint64_t seen = counts_[0]; seen <= rank && bin + 1 < kBins; seen += counts_[bin]) {
    ++bin;
  }
  const double middle =
      kFirstBorder_s * std::exp2((static_cast<double>(bin) + 0.5) / kBinsPerDoubling);
  return std::clamp(middle, least_s_, greatest_s_);
}

StepTimes StepHistogram::summary() const {
  if (steps_ == 0) return {};
  constexpr double kMilli = 1e3;
  return {kMilli * least_s_, kMilli * quantile_s(0.5), kMilli * quantile_s(0.95),
          kMilli * greatest_s_};
}

std::vector<double> StepHistogram::packed() const {
  std::vector<double> packed{least_s_, greatest_s_};
  packed.insert(packed.end(), counts_.begin(), counts_.end());
  return packed;
}

void StepHistogram::restore(std::span<const double> packed) {
  least_s_ = packed[0];
  greatest_s_ = packed[1];
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    counts_[bin] = static_cast<std::uint64_t>(whole(packed[bin + 2]));
  }
  steps_ = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

}  // namespace oida
