#include "oida/parameter_mean.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "oida/exchange_way.hpp"

namespace oida {

namespace {

bool all_finite(std::span<const float> values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

}  // namespace

ParameterMean::ParameterMean(Unit& unit, Comm& comm, const RuleOptions& options)
    : unit_(unit),
      comm_(comm),
      options_(options),
      weights_(options.merge, comm.rank(), comm.size(), options.share),
      sent_(unit.x().size()) {
  use(options.wire);
  find_way();
}

void ParameterMean::find_way() {
  if (weights_.scores()) return;
  auto* there = dynamic_cast<DeviceSum*>(unit_.resident());
  if (!sums_on_devices(comm_, there, options_.say)) return;
  there_ = there;
  sum_.resize(size() + kControlWords);
}

void ParameterMean::use(Wire wire) {
  settle();
  AlignedVector<float> base;
  if (wire != Wire::fp32) {
    const auto known = exchange_ == nullptr ? unit_.x() : mean();
    base.assign(known.begin(), known.end());
  }
  ExchangeOptions options;
  options.wire = wire;
  options.floats = size() + kControlWords + static_cast<std::size_t>(comm_.size());
  options.windows = 1;
  options.ranks_per_node = options_.ranks_per_node;
  exchange_ = nullptr;
  exchange_ = comm_.make_exchange(options);
  base_ = std::move(base);
}

FlatArrays ParameterMean::flat_arrays() {
  return {unit_.x(),
          sent_,
          differences() ? std::span(base_) : std::span<float>(),
          exchange_->window(0).first(size()),
          exchange_->window_sum(0).first(size()),
          unit_.engine().options().threads};
}

void ParameterMean::start(const ControlWords& words, Precision precision) {
  unit_.clock().enter(Phase::other);
  if (precision != precision_) settle();
  precision_ = precision;
  words_ = words;
  scored_ = false;
  if (auto* card = resident()) {
    send_resident(*card);
    return;
  }
  const float weight = weights_.weight();
  const bool finite =
      pending_ ? merge_and_send(flat_arrays(), weight) : send(flat_arrays(), weight);
  pending_ = false;
  fly(finite);
}

ResidentTraining* ParameterMean::resident() {
  return base_.empty() && !weights_.scores() ? unit_.resident() : nullptr;
}

void ParameterMean::send_resident(ResidentTraining& resident) {
  settle();
  started_s_ = now_s();
  awaited_ = true;
  if (!sums_there()) return resident.send(weights_.weight());
  std::array<float, kControlWords> words{};
  put(words_, words);
  there_->send_sum(weights_.weight(), words);
}

bool ParameterMean::take_off() {
  if (!awaited_) return true;
  if (sums_there()) {
    awaited_ = !there_->summed(sum_);
    ended_s_ = now_s();
    return !awaited_;
  }
  const auto window = exchange_->window(0).first(size());
  if (!unit_.resident()->sent(window)) return false;
  awaited_ = false;
  fly(all_finite(window));
  return true;
}

void ParameterMean::fly(bool finite) {
  if (!finite) words_.non_finite = 1.0F;
  put(words_, exchange_->window(0).subspan(size()));
  unit_.clock().enter(Phase::exposed);
  started_s_ = now_s();
  const std::size_t floats = size() + kControlWords;
  exchange_->start_window(0, floats, precision_ == Precision::exact ? floats : kControlWords);
  unit_.clock().enter(Phase::other);
}

void ParameterMean::poll() {
  const Phase before = unit_.clock().enter(Phase::exposed);
  if (take_off()) exchange_->poll();
  unit_.clock().enter(before);
}

void ParameterMean::score() {
  if (scored_ || !weights_.scores()) return;
  scored_ = true;
  unit_.clock().enter(Phase::validate);
  const double loss = options_.scorer->loss(sent_, [this] { poll(); });
  unit_.clock().enter(Phase::exposed);
  weights_.share(loss, *exchange_);
  unit_.clock().enter(Phase::other);
}

ControlWords ParameterMean::finish() {
  unit_.clock().enter(Phase::exposed);
  while (!take_off()) continue;
  unit_.clock().enter(Phase::exposed);
  exchange_->finish();
  unit_.clock().enter(Phase::other);
  if (scored_) weights_.take();
  pending_ = true;
  const auto came = sums_there() ? std::span<const float>(sum_) : exchange_->window_sum(0);
  const auto sums = take_words(came.subspan(size()));
  finite_ = sums.non_finite == 0.0F;
  if (sums_there()) finite_ = finite_ && all_finite(came.first(size()));
  return sums;
}

void ParameterMean::settle() {
  if (!pending_) return;
  const Phase before = unit_.clock().enter(Phase::other);
  if (sums_there()) {
    there_->merge_sum();
  } else if (auto* card = resident()) {
    card->merge(exchange_->window_sum(0).first(size()));
  } else {
    merge(flat_arrays());
  }
  pending_ = false;
  unit_.clock().enter(before);
}

void ParameterMean::adopt() {
  settle();
  const auto m = mean();
  std::copy(m.begin(), m.end(), unit_.x().begin());
  finite_ = finite_ && all_finite(m);
}

std::span<const float> ParameterMean::mean() const {
  if (differences()) return base_;
  if (sums_there()) return std::span(sum_).first(size());
  return exchange_->window_sum(0).first(size());
}

void ParameterMean::restart() {
  pending_ = false;
  weights_.restart();
  if (!base_.empty()) std::copy(unit_.x().begin(), unit_.x().end(), base_.begin());
  std::ranges::fill(exchange_->remainder(), 0.0F);
}

std::int64_t ParameterMean::bytes() const {
  return exchange_bytes(comm_, *exchange_, size() + kControlWords, kControlWords);
}

std::vector<std::span<float>> ParameterMean::arrays() {
  if (base_.empty()) return {};
  return {std::span(base_)};
}

std::vector<std::span<float>> ParameterMean::values() {
  return {weights_.value(), exchange_->remainder()};
}

std::int64_t exchange_bytes(const Comm& comm, const Exchange& exchange, std::size_t floats,
                            std::size_t exact) {
  const auto between_nodes = exchange.bytes_per_exchange(floats, exact);
  if (between_nodes > 0 || comm.size() == 1) return between_nodes;
  return static_cast<std::int64_t>(floats * sizeof(float));
}

}  // namespace oida
