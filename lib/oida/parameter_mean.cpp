#include "oida/parameter_mean.hpp"

#include <algorithm>
#include <cmath>

namespace oida {

ParameterMean::ParameterMean(Unit& unit, Comm& comm, const RuleOptions& options)
    : unit_(unit),
      comm_(comm),
      options_(options),
      weights_(options.merge, comm.rank(), comm.size(), options.share),
      sent_(unit.x().size()) {
  use(options.wire);
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
  const float weight = weights_.weight();
  const bool finite =
      pending_ ? merge_and_send(flat_arrays(), weight) : send(flat_arrays(), weight);
  pending_ = false;
  scored_ = false;
  ControlWords own = words;
  if (!finite) own.non_finite = 1.0F;
  put(own, exchange_->window(0).subspan(size()));
  unit_.clock().enter(Phase::exposed);
  flight_.start_s = now_s();
  const std::size_t floats = size() + kControlWords;
  exchange_->start_window(0, floats, precision == Precision::exact ? floats : kControlWords);
  unit_.clock().enter(Phase::other);
}

void ParameterMean::poll() {
  const Phase before = unit_.clock().enter(Phase::exposed);
  exchange_->poll();
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
  exchange_->finish();
  flight_.end_s = exchange_->ended_s();
  unit_.clock().enter(Phase::other);
  if (scored_) weights_.take();
  pending_ = true;
  const auto sums = take_words(exchange_->window_sum(0).subspan(size()));
  finite_ = sums.non_finite == 0.0F;
  return sums;
}

void ParameterMean::settle() {
  if (!pending_) return;
  const Phase before = unit_.clock().enter(Phase::other);
  merge(flat_arrays());
  pending_ = false;
  unit_.clock().enter(before);
}

void ParameterMean::adopt() {
  settle();
  const auto m = mean();
  std::copy(m.begin(), m.end(), unit_.x().begin());
  finite_ = finite_ && std::all_of(m.begin(), m.end(), [](float v) { return std::isfinite(v); });
}

std::span<const float> ParameterMean::mean() const {
  if (differences()) return base_;
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
