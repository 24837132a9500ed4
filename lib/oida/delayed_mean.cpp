#include "oida/delayed_mean.hpp"

#include <algorithm>

namespace oida {

namespace {

/// sent <- x, travelling <- weight x.
void send(std::span<const float> x, float weight, float* sent, float* travelling) {
  const float* from = x.data();
  const std::size_t n = x.size();
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    sent[i] = from[i];
    travelling[i] = weight * from[i];
  }
}

/// x <- x + (mean - sent); true when every element of the mean is finite.
bool merge(std::span<float> x, const float* mean, const float* sent) {
  float* live = x.data();
  const std::size_t n = x.size();
  float zero = 0;
#pragma omp simd reduction(+ : zero)
  for (std::size_t i = 0; i < n; ++i) {
    live[i] += mean[i] - sent[i];
    zero += 0.0F * mean[i];
  }
  return zero == 0.0F;
}

}  // namespace

DelayedMean::DelayedMean(Unit& unit, Exchange& exchange, float weight)
    : unit_(unit),
      exchange_(exchange),
      weight_(weight),
      sent_(unit.x().size()),
      travelling_(unit.x().size() + kControlWords),
      poll_([this](std::size_t) {
        const Phase before = unit_.clock().enter(Phase::exposed);
        exchange_.poll();
        unit_.clock().enter(before);
      }) {}

void DelayedMean::start(const ControlWords& words) {
  unit_.clock().enter(Phase::other);
  send(unit_.x(), weight_, sent_.data(), travelling_.data());
  put(words, std::span(travelling_).subspan(sent_.size()));
  unit_.clock().enter(Phase::exposed);
  started_s_ = now_s();
  exchange_.start(travelling_);
  unit_.clock().enter(Phase::other);
}

ControlWords DelayedMean::finish() {
  unit_.clock().enter(Phase::exposed);
  exchange_.finish();
  unit_.clock().enter(Phase::other);
  return take_words(std::span(travelling_).subspan(sent_.size()));
}

void DelayedMean::begin(const ControlWords& words) {
  start(words);
}

StepResult DelayedMean::step(std::uint64_t step, float rate) {
  return unit_.train(step, rate, poll_);
}

ControlWords DelayedMean::end() {
  const auto words = finish();
  finite_ = merge(unit_.x(), travelling_.data(), sent_.data());
  return words;
}

ControlWords DelayedMean::final_mean(const ControlWords& words) {
  start(words);
  const auto sums = finish();
  finite_ = merge(unit_.x(), travelling_.data(), sent_.data());
  std::copy_n(travelling_.data(), unit_.x().size(), unit_.x().data());
  return sums;
}

}  // namespace oida
