#include "oida/gradient_mean.hpp"

#include <algorithm>

#include "oida/parameter_mean.hpp"

namespace oida {

namespace {

/// 1 MB: large enough for bandwidth, small enough to start well before the backward pass ends.
constexpr std::size_t kBucketFloats = std::size_t{1} << 18;

ExchangeOptions exchange_options(const RuleOptions& rule, std::size_t size) {
  ExchangeOptions options;
  options.wire = rule.wire;
  options.floats = size + kControlWords;
  options.ranks_per_node = rule.ranks_per_node;
  return options;
}

}  // namespace

GradientMean::GradientMean(Unit& unit, Comm& comm, const RuleOptions& options)
    : unit_(unit),
      comm_(comm),
      exchange_(comm.make_exchange(exchange_options(options, unit.x().size()))),
      weight_(options.share),
      words_(kControlWords),
      poll_([this](std::size_t ready_from) { on_ready(ready_from); }) {}

std::int64_t GradientMean::bytes_per_exchange() const {
  return exchange_bytes(comm_, *exchange_, unit_.x().size() + kControlWords, kControlWords);
}

void GradientMean::restart() {
  std::ranges::fill(exchange_->remainder(), 0.0F);
}

void GradientMean::begin(const ControlWords& words) {
  put(words, words_);
}

void GradientMean::send_words() {
  flight_.start_s = now_s();
  exchange_->start(words_, kControlWords);
}

void GradientMean::send_bucket(std::size_t first, std::size_t last) {
  if (last == unit_.x().size()) send_words();
  const auto bucket = unit_.gradient_span().subspan(first, last - first);
  for (float& value : bucket) value *= weight_;
  exchange_->start(bucket, 0, first);
}

void GradientMean::on_ready(std::size_t ready_from) {
  const Phase before = unit_.clock().enter(Phase::exposed);
  while (unsent_ >= ready_from + kBucketFloats) {
    send_bucket(unsent_ - kBucketFloats, unsent_);
    unsent_ -= kBucketFloats;
  }
  exchange_->poll();
  unit_.clock().enter(before);
}

StepResult GradientMean::step(std::uint64_t step, float rate) {
  unsent_ = unit_.x().size();
  const auto result = unit_.gradient(step, poll_);
  unit_.clock().enter(Phase::exposed);
  if (unsent_ > 0) send_bucket(0, unsent_);
  exchange_->finish();
  unit_.update(step, rate);
  return result;
}

ControlWords GradientMean::end() {
  flight_.end_s = exchange_->ended_s();
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
  exchange_->finish();
  return end();
}

}  // namespace oida
