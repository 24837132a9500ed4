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
      parts_(options.momentum > 0.0F ? 2 : 1) {
  for (Part& part : parts_) part.sent.resize(unit.x().size());
  use(options.wire);
  find_way();
}

void ParameterMean::find_way() {
  if (weights_.scores() || parts_.size() > 1) return;
  auto* there = dynamic_cast<DeviceSum*>(unit_.resident());
  if (!sums_on_devices(comm_, there, options_.say)) return;
  there_ = there;
  sum_.resize(size() + kControlWords);
}

std::span<float> ParameterMean::live(std::size_t part) {
  return part == 0 ? unit_.x() : unit_.optimizer().slot(0);
}

std::span<const float> ParameterMean::mean(std::size_t part) const {
  if (differences()) return parts_[part].base;
  if (sums_there()) return std::span(sum_).first(size());
  return exchange_->window_sum(0).subspan(part * size(), size());
}

void ParameterMean::use(Wire wire) {
  settle();
  std::vector<AlignedVector<float>> bases(parts_.size());
  for (std::size_t p = 0; p < parts_.size() && wire != Wire::fp32; ++p) {
    const auto known = exchange_ == nullptr ? live(p) : mean(p);
    bases[p].assign(known.begin(), known.end());
  }
  for (std::size_t p = 0; p < parts_.size(); ++p) parts_[p].base = std::move(bases[p]);
  ExchangeOptions options;
  options.wire = wire;
  options.floats = travelling() + kControlWords + static_cast<std::size_t>(comm_.size());
  options.windows = 1;
  options.ranks_per_node = options_.ranks_per_node;
  exchange_ = nullptr;
  exchange_ = comm_.make_exchange(options);
}

FlatArrays ParameterMean::flat_arrays(std::size_t part) {
  return {live(part),
          parts_[part].sent,
          differences() ? std::span(parts_[part].base) : std::span<float>(),
          exchange_->window(0).subspan(part * size(), size()),
          exchange_->window_sum(0).subspan(part * size(), size()),
          part == 0 ? 1.0F : kept_,
          unit_.engine().options().threads};
}

/// With the merge of what has come, if something has. False when a parameter is not finite.
bool ParameterMean::send(float weight) {
  bool finite = true;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const FlatArrays arrays = flat_arrays(p);
    finite &= pending_ ? merge_and_send(arrays, weight) : oida::send(arrays, weight);
  }
  pending_ = false;
  kept_ = 1;
  return finite;
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
  fly(send(weights_.weight()));
}

ResidentTraining* ParameterMean::resident() {
  return there_may_be_merged() ? unit_.resident() : nullptr;
}

void ParameterMean::send_resident(ResidentTraining& resident) {
  settle();
  flight_.start_s = now_s();
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
    flight_.end_s = now_s();
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
  const Phase before = unit_.clock().enter(Phase::exposed);
  put(words_, exchange_->window(0).subspan(travelling()));
  flight_.start_s = now_s();
  const std::size_t floats = travelling() + kControlWords;
  exchange_->start_window(0, floats, precision_ == Precision::exact ? floats : kControlWords);
  unit_.clock().enter(before);
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
  const double loss = options_.scorer->loss(parts_.front().sent, [this] { poll(); });
  unit_.clock().enter(Phase::exposed);
  weights_.share(loss, *exchange_);
  unit_.clock().enter(Phase::other);
}

ControlWords ParameterMean::finish() {
  unit_.clock().enter(Phase::exposed);
  exchange_->wait_for([this] { return take_off(); });
  exchange_->finish();
  if (!sums_there()) flight_.end_s = exchange_->ended_s();
  unit_.clock().enter(Phase::other);
  if (scored_) weights_.take();
  pending_ = true;
  const auto came = sums_there() ? std::span<const float>(sum_) : exchange_->window_sum(0);
  const auto sums = take_words(came.subspan(travelling()));
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
    for (std::size_t p = 0; p < parts_.size(); ++p) merge(flat_arrays(p));
  }
  pending_ = false;
  unit_.clock().enter(before);
}

void ParameterMean::adopt() {
  settle();
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const auto agreed = mean(p);
    std::copy(agreed.begin(), agreed.end(), live(p).begin());
  }
  const auto m = mean();
  finite_ = finite_ && all_finite(m);
}

void ParameterMean::restart() {
  pending_ = false;
  weights_.restart();
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const auto x = live(p);
    if (lossy()) std::copy(x.begin(), x.end(), parts_[p].base.begin());
  }
  std::ranges::fill(exchange_->remainder(), 0.0F);
}

std::int64_t ParameterMean::bytes() const {
  return exchange_bytes(comm_, *exchange_, travelling() + kControlWords, kControlWords);
}

std::vector<std::span<float>> ParameterMean::arrays() {
  std::vector<std::span<float>> bases;
  for (Part& part : parts_) {
    if (lossy()) bases.emplace_back(part.base);
  }
  return bases;
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
