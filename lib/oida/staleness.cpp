#include "oida/staleness.hpp"

#include <algorithm>

namespace oida {

Staleness::Staleness(int units, std::int64_t bound)
    : bound_(bound),
      clocks_(static_cast<std::size_t>(units)),
      answered_at_(clocks_.size()),
      computes_(clocks_.size(), 1),
      histogram_(kBins) {}

std::int64_t Staleness::slowest() const {
  return *std::min_element(clocks_.begin(), clocks_.end());
}

bool Staleness::even() const {
  return *std::max_element(clocks_.begin(), clocks_.end()) == slowest();
}

std::vector<int> Staleness::arrived(int unit) {
  const auto u = static_cast<std::size_t>(unit);
  const auto age = static_cast<std::size_t>(applied_ - answered_at_[u]);
  histogram_[std::min(age, kBins - 1)] += 1.0F;
  ++applied_;
  ++clocks_[u];
  computes_[u] = 0;
  std::vector<int> answered;
  const std::int64_t furthest = slowest() + bound_;
  for (std::size_t i = 0; i < clocks_.size(); ++i) {
    if (computes_[i] != 0 || clocks_[i] > furthest) continue;
    computes_[i] = 1;
    answered_at_[i] = applied_;
    answered.push_back(static_cast<int>(i));
  }
  return answered;
}

}  // namespace oida
