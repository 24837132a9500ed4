#include "oida/gradient_mean.hpp"

namespace oida {

namespace {

/// 1 MB: large enough for bandwidth, small enough to start well before the backward pass ends.
constexpr std::size_t kBucketFloats = std::size_t{1} << 18;

}  // namespace

GradientMean::GradientMean(Unit& unit, Exchange& exchange, float weight)
    : unit_(unit),
      exchange_(exchange),
      weight_(weight),
      words_(kControlWords),
      poll_([this](std::size_t ready_from) { on_ready(ready_from); }) {}

std::int64_t GradientMean::bytes_per_exchange() const {
  return static_cast<std::int64_t>((unit_.x().size() + kControlWords) * sizeof(float));
}

void GradientMean::begin(const ControlWords& words) {
  put(words, words_);
}

void GradientMean::send_words() {
  started_s_ = now_s();
  exchange_.start(words_);
}

void GradientMean::send_bucket(std::size_t first, std::size_t last) {
  if (last == unit_.x().size()) send_words();
  const auto bucket = unit_.gradient_span().subspan(first, last - first);
  for (float& value : bucket) value *= weight_;
  exchange_.start(bucket);
}

void GradientMean::on_ready(std::size_t ready_from) {
  const Phase before = unit_.clock().enter(Phase::exposed);
  while (unsent_ >= ready_from + kBucketFloats) {
    send_bucket(unsent_ - kBucketFloats, unsent_);
    unsent_ -= kBucketFloats;
  }
  exchange_.poll();
  unit_.clock().enter(before);
}

StepResult GradientMean::step(std::uint64_t step, float rate) {
  unsent_ = unit_.x().size();
  const auto result = unit_.gradient(step, poll_);
  unit_.clock().enter(Phase::exposed);
  if (unsent_ > 0) send_bucket(0, unsent_);
  exchange_.finish();
  unit_.update(step, rate);
  return result;
}

ControlWords GradientMean::end() {
  float zero = 0;
  const auto gradient = unit_.gradient_span();
#pragma omp simd reduction(+ : zero)
  for (std::size_t i = 0; i < gradient.size(); ++i) zero += 0.0F * gradient[i];
  finite_ = zero == 0.0F;
  return take_words(words_);
}

ControlWords GradientMean::final_mean(const ControlWords& words) {
  begin(words);
  unit_.clock().enter(Phase::exposed);
  send_words();
  exchange_.finish();
  return end();
}

}  // namespace oida
