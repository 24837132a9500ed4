#include "oida/interleave.hpp"

#include <algorithm>
#include <cmath>

namespace oida {

namespace {

constexpr double kMargin = 1.25;
constexpr std::ptrdiff_t kCold = 2;

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::lround(q * static_cast<double>(values.size() - 1)))];
}

}  // namespace

Interleave Interleave::fixed(int steps) {
  Interleave interleave;
  interleave.plan_ = {{0, steps}};
  return interleave;
}

Interleave Interleave::automatic() {
  Interleave interleave;
  interleave.tuned_ = false;
  return interleave;
}

Interleave Interleave::replay(InterleavePlan plan) {
  Interleave interleave;
  interleave.plan_ = std::move(plan);
  return interleave;
}

void Interleave::restore(InterleavePlan plan, bool tuned) {
  plan_ = std::move(plan);
  tuned_ = tuned;
}

int Interleave::steps(std::int64_t round) const {
  int steps = 1;
  for (const auto& [first, value] : plan_) {
    if (first <= round) steps = value;
  }
  return steps;
}

void Interleave::record(double exchange_s, double step_s) {
  if (tuned_) return;
  exchange_s_.push_back(exchange_s);
  step_s_.push_back(step_s);
}

void Interleave::settle(std::int64_t round, Comm& comm) {
  if (tuned_ || round + 1 < kTuningRounds) return;
  // The unit that came last to an exchange saw the network alone: the least time over the units.
  for (double& seconds : exchange_s_) seconds = -seconds;
  comm.maximum(exchange_s_);
  for (double& seconds : exchange_s_) seconds = -seconds;
  std::vector<double> wanted{static_cast<double>(smallest_hiding_interleave(exchange_s_, step_s_))};
  comm.maximum(wanted);
  plan_.emplace_back(round + 1, static_cast<int>(wanted.front()));
  tuned_ = true;
}

int smallest_hiding_interleave(std::vector<double> exchange_s, std::vector<double> step_s) {
  const auto warm = [](std::vector<double>& values) {
    if (static_cast<std::ptrdiff_t>(values.size()) > kCold) {
      values.erase(values.begin(), values.begin() + kCold);
    }
  };
  warm(exchange_s);
  warm(step_s);
  const double steps = std::ceil(kMargin * quantile(exchange_s, 0.95) / quantile(step_s, 0.5));
  return static_cast<int>(std::clamp(steps, 1.0, static_cast<double>(Interleave::kMostSteps)));
}

}  // namespace oida
