#include "comm/sum_exchange.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/clock.hpp"
#include "core/error.hpp"

namespace oida {

SumExchange::SumExchange(MPI_Comm channel, int ranks, const Stall& stall,
                         const ExchangeOptions& options, std::function<void(MPI_Comm)> give_back)
    : channel_(channel), ranks_(ranks), stall_(stall), give_back_(std::move(give_back)) {
  if (options.wire != Wire::fp32) {
    throw Error("exchange", "this transport sends fp32 only, not " + to_string(options.wire));
  }
  windows_.resize(options.windows);
  for (Window& window : windows_) {
    window.contribution.resize(options.floats);
    window.sum.resize(options.floats);
  }
}

SumExchange::~SumExchange() {
  if (in_flight_.empty()) give_back_(channel_);
}

void SumExchange::start_window(std::size_t k, std::size_t size, std::size_t exact) {
  Window& window = windows_.at(k);
  std::copy_n(window.contribution.data(), size, window.sum.data());
  start(std::span(window.sum).first(size), exact, 0);
}

std::int64_t SumExchange::bytes_per_exchange(std::size_t size, std::size_t /*exact*/) const {
  return static_cast<std::int64_t>(size * sizeof(float)) * 2 * (ranks_ - 1) / ranks_;
}

void SumExchange::start(std::span<float> buffer, std::size_t /*exact*/, std::size_t /*position*/) {
  if (ranks_ == 1 || buffer.empty()) {
    if (in_flight_.empty()) ended_s_ = now_s();
    return;
  }
  if (in_flight_.size() == SumOperation::kInFlight) {
    throw Error("exchange", "a sum is started while " + std::to_string(SumOperation::kInFlight) +
                                " are in flight; no more are allowed");
  }
  std::unique_ptr<SumOperation> operation = take(buffer.size());
  operation->start(buffer.data(), started_++);
  in_flight_.push_back(std::move(operation));
}

std::unique_ptr<SumOperation> SumExchange::take(std::size_t size) {
  const auto fits = [&](const auto& operation) { return operation->size() == size; };
  const auto found = std::find_if(resting_.begin(), resting_.end(), fits);
  if (found == resting_.end()) {
    in_flight_.reserve(in_flight_.size() + 1);
    resting_.reserve(resting_.size() + in_flight_.size() + 1);
    return std::make_unique<SumOperation>(channel_, stall_.rank, ranks_, size);
  }
  std::unique_ptr<SumOperation> operation = std::move(*found);
  resting_.erase(found);
  return operation;
}

bool SumExchange::poll() {
  if (in_flight_.empty()) return true;
  while (advance() && !in_flight_.empty()) continue;
  return in_flight_.empty();
}

bool SumExchange::advance() {
  bool moved = false;
  for (const auto& operation : in_flight_) moved |= operation->advance();
  if (!moved) return false;
  const auto done = std::partition(in_flight_.begin(), in_flight_.end(),
                                   [](const auto& operation) { return !operation->done(); });
  if (done == in_flight_.end()) return true;
  std::move(done, in_flight_.end(), std::back_inserter(resting_));
  in_flight_.erase(done, in_flight_.end());
  ended_s_ = now_s();
  return true;
}

void SumExchange::finish() {
  Patience patience(stall_, "the sum over all ranks");
  while (!in_flight_.empty()) {
    if (advance()) {
      patience.progress();
    } else {
      patience.idle();
    }
  }
}

}  // namespace oida
