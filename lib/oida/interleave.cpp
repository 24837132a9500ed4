#include "oida/interleave.hpp"

#include <algorithm>
#include <cmath>

namespace oida {

namespace {

constexpr double kMargin = 1.25;
constexpr std::ptrdiff_t kCold = 2;
constexpr double kMostExposed = 0.01;    // share of the time
constexpr std::int64_t kFirstLook = 64;  // rounds after an agreement

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::lround(q * static_cast<double>(values.size() - 1)))];
}

/// The last value whose first round is not after `round`.
template <typename Plan>
auto value_at(const Plan& plan, std::int64_t round) {
  auto value = plan.front().second;
  for (const auto& [first, later] : plan) {
    if (first <= round) value = later;
  }
  return value;
}

}  // namespace

Interleave Interleave::fixed(int steps, Wire wire) {
  return replay({{0, steps}}, {{0, wire}});
}

Interleave Interleave::automatic(std::vector<Wire> wires) {
  Interleave interleave;
  interleave.automatic_ = true;
  interleave.tuned_ = false;
  interleave.wire_plan_ = {{0, wires.front()}};
  interleave.wires_ = std::move(wires);
  return interleave;
}

Interleave Interleave::replay(InterleavePlan plan, WirePlan wires) {
  Interleave interleave;
  interleave.plan_ = std::move(plan);
  interleave.wire_plan_ = std::move(wires);
  return interleave;
}

void Interleave::restore(InterleavePlan plan, WirePlan wires, bool tuned, std::int64_t round) {
  plan_ = std::move(plan);
  wire_plan_ = std::move(wires);
  tuned_ = tuned || !automatic_;
  if (!tuned_) wire_plan_.emplace_back(round, wires_.front());
  watch_from(round);
}

int Interleave::steps(std::int64_t round) const {
  return value_at(plan_, round);
}

Wire Interleave::wire(std::int64_t round) const {
  return value_at(wire_plan_, round);
}

std::int64_t Interleave::tuning_rounds() const {
  return tuned_ ? 0 : kTuningRounds * static_cast<std::int64_t>(wires_.size());
}

void Interleave::end_with_one(std::int64_t round) {
  automatic_ = false;
  tuned_ = true;
  if (steps(round) > 1) plan_.emplace_back(round, 1);
}

void Interleave::record(const RoundTimes& times) {
  if (!automatic_) return;
  exchange_s_.push_back(times.exchange_s);
  step_s_.push_back(times.step_s);
  if (std::ssize(step_s_) > kTuningRounds) {
    exchange_s_.erase(exchange_s_.begin());
    step_s_.erase(step_s_.begin());
  }
  exposed_s_ += times.exposed_s;
  round_s_ += times.round_s;
}

double Interleave::exposed_share(std::int64_t round) const {
  const bool look = automatic_ && tuned_ && round == look_at_round_;
  return look && round_s_ > 0 ? exposed_s_ / round_s_ : 0;
}

void Interleave::settle(std::int64_t round, double mean_exposed_share, Comm& comm) {
  if (!automatic_) return;
  if (!tuned_) {
    tune(round, comm);
  } else if (round == look_at_round_) {
    look_after_ *= 2;
    const bool measured = std::ssize(step_s_) == kTuningRounds;
    if (measured && mean_exposed_share > kMostExposed) {
      const int hiding = agree_on_steps(comm);
      const int cheap = interleave_for_cost(steps(round + 1), mean_exposed_share);
      const int steps_now = hiding > 1 ? std::max(hiding, cheap) : hiding;
      if (steps_now != steps(round + 1)) {
        plan_.emplace_back(round + 1, steps_now);
        look_after_ = kFirstLook;
      }
    }
    look_at_round_ = round + look_after_;
    exposed_s_ = round_s_ = 0;
  }
}

int Interleave::agree_on_steps(Comm& comm) const {
  // The unit that came last to an exchange saw the network alone: the least time over the units.
  std::vector<double> exchange_s = exchange_s_;
  for (double& seconds : exchange_s) seconds = -seconds;
  comm.maximum(exchange_s);
  for (double& seconds : exchange_s) seconds = -seconds;
  std::vector<double> wanted{static_cast<double>(smallest_hiding_interleave(exchange_s, step_s_))};
  comm.maximum(wanted);
  return static_cast<int>(wanted.front());
}

void Interleave::tune(std::int64_t round, Comm& comm) {
  if (std::ssize(step_s_) < kTuningRounds) return;
  tried_.emplace_back(wires_[tried_.size()], agree_on_steps(comm));
  exchange_s_.clear();
  step_s_.clear();
  if (tried_.back().second > 1 && tried_.size() < wires_.size()) {
    wire_plan_.emplace_back(round + 1, wires_[tried_.size()]);
    return;
  }
  const auto [wire_kept, steps_kept] = best_wire(tried_);
  plan_.emplace_back(round + 1, steps_kept);
  if (wire_kept != wire(round)) wire_plan_.emplace_back(round + 1, wire_kept);
  tuned_ = true;
  watch_from(round);
}

void Interleave::watch_from(std::int64_t round) {
  look_after_ = kFirstLook;
  look_at_round_ = round + look_after_;
  exposed_s_ = round_s_ = 0;
}

int interleave_for_cost(int steps, double exposed_share) {
  const double computed_share = std::max(1.0 - exposed_share, 1e-3);
  const double cost_in_steps = steps * exposed_share / computed_share;
  const double wanted = std::ceil(cost_in_steps * (1.0 - kMostExposed) / kMostExposed);
  return static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(Interleave::kMostForCost)));
}

std::pair<Wire, int> best_wire(const std::vector<std::pair<Wire, int>>& tried) {
  return *std::min_element(tried.begin(), tried.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
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
