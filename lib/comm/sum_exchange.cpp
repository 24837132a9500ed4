#include "comm/sum_exchange.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/clock.hpp"
#include "core/error.hpp"

namespace oida {
namespace {

constexpr const char* kOperation = "the sum over all ranks";
constexpr std::size_t kLine = 16;  // floats of a cache line
constexpr std::size_t kSmallestRing = 4096;
constexpr std::size_t kRingParts = 4;  // of an operation that the ring cannot hold

std::size_t ring_floats(const ExchangeOptions& options) {
  return rounded_up(std::max(options.floats, kSmallestRing), kRingParts * kWireBlock);
}

std::size_t window_floats(const ExchangeOptions& options) {
  return rounded_up(options.floats, kLine);
}

}  // namespace

std::size_t SumExchange::area_floats(const ExchangeOptions& options) {
  return ring_floats(options) + options.windows * window_floats(options);
}

SumExchange::SumExchange(std::unique_ptr<Channel> channel, const Nodes& nodes, const Stall& stall,
                         const ExchangeOptions& options, GiveBack give_back)
    : channel_(std::move(channel)),
      options_(options),
      stall_(stall),
      give_back_(std::move(give_back)),
      ring_(ring_floats(options)),
      route_{channel_->messages,
             nodes,
             Grid(nodes, options.wire, options.floats),
             *channel_->memory,
             *kernels_here().front(),
             {}} {
  if (nodes.carries()) remainder_.resize(route_.grid.remainders(nodes.rank));
  route_.remainder = remainder_;
}

SumExchange::~SumExchange() {
  if (running_.empty() && waiting_.empty()) give_back_(std::move(channel_));
}

void SumExchange::start(std::span<float> buffer, std::size_t exact, std::size_t position) {
  route_.grid.check({buffer.size(), exact, position});
  const std::size_t whole = buffer.size();
  const std::size_t part = whole <= ring_ ? whole : ring_ / kRingParts;
  const std::size_t rounded = whole - std::min(whole, exact);
  for (std::size_t begin = 0; begin < whole; begin += part) {
    const std::size_t size = std::min(part, whole - begin);
    const std::size_t in_part = std::clamp(rounded, begin, begin + size) - begin;
    waiting_.push_back({{size, size - in_part, position + begin}, buffer.data() + begin, 0});
  }
  if (running_.empty() && waiting_.empty()) ended_s_ = now_s();
  enter();
}

std::size_t SumExchange::window_offset(std::size_t k) const {
  if (k >= options_.windows) {
    throw Error("exchange", "window " + std::to_string(k) + " of " +
                                std::to_string(options_.windows) + " was asked for");
  }
  return ring_ + k * window_floats(options_);
}

std::span<float> SumExchange::window(std::size_t k) {
  return {route_.memory.contribution(route_.nodes.rank) + window_offset(k), options_.floats};
}

std::span<const float> SumExchange::window_sum(std::size_t k) const {
  return {route_.memory.sum() + window_offset(k), options_.floats};
}

void SumExchange::start_window(std::size_t k, std::size_t size, std::size_t exact) {
  if (size > options_.floats) {
    throw Error("exchange", "a sum of " + std::to_string(size) + " floats in a window of " +
                                std::to_string(options_.floats));
  }
  if (size > 0) waiting_.push_back({{size, exact, 0}, nullptr, window_offset(k)});
  enter();
}

bool SumExchange::goes_through_ring(const Waiting& waiting) const {
  return waiting.buffer != nullptr && route_.nodes.ranks > 1;
}

/// An operation stands in the ring in one piece.
std::uint64_t SumExchange::ring_place(std::size_t size) const {
  const std::uint64_t at = ring_end_ % ring_;
  return at + size > ring_ ? ring_end_ + (ring_ - at) : ring_end_;
}

void SumExchange::enter() {
  std::size_t entered = 0;
  for (; entered < waiting_.size(); ++entered) {
    const Waiting& next = waiting_[entered];
    const std::uint64_t begin = ring_place(next.shape.size);
    if (!may_enter(next, begin)) break;
    enter(next, begin);
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(entered));
}

// This rank alone has to be through with what stood in its place: it contributes only then, and
// nobody writes the place of the sum before all have contributed. Two operations that share
// remainders take them in turn.
bool SumExchange::may_enter(const Waiting& waiting, std::uint64_t begin) const {
  if (running_.empty()) return true;
  const auto oldest = running_.front().operation->number();
  if (channel_->operations - oldest >= kInFlight) return false;
  const std::uint64_t end = begin + waiting.shape.size;
  return std::none_of(running_.begin(), running_.end(), [&](const Running& running) {
    if (goes_through_ring(waiting) && running.in_ring && end > running.ring_begin + ring_) {
      return true;
    }
    return !remainder_.empty() && overlap(running.operation->shape(), waiting.shape);
  });
}

void SumExchange::enter(const Waiting& waiting, std::uint64_t begin) {
  Running running{take(waiting.shape), waiting.buffer, waiting.offset, begin, false};
  const std::uint64_t number = channel_->operations++;
  if (goes_through_ring(waiting)) {
    running.in_ring = true;
    running.offset = static_cast<std::size_t>(begin % ring_);
    ring_end_ = begin + rounded_up(waiting.shape.size, kLine);
    std::copy_n(waiting.buffer, waiting.shape.size,
                route_.memory.contribution(route_.nodes.rank) + running.offset);
    running.operation->start(running.offset, number);
  } else if (waiting.buffer != nullptr) {
    running.operation->start(waiting.buffer, number);
  } else {
    running.operation->start(waiting.offset, number);
  }
  running_.push_back(std::move(running));
}

std::unique_ptr<SumOperation> SumExchange::take(const Shape& shape) {
  const auto fits = [&](const auto& operation) { return operation->shape() == shape; };
  const auto found = std::find_if(resting_.begin(), resting_.end(), fits);
  if (found == resting_.end()) {
    running_.reserve(running_.size() + 1);
    resting_.reserve(resting_.size() + running_.size() + 1);
    return std::make_unique<SumOperation>(route_, shape);
  }
  std::unique_ptr<SumOperation> operation = std::move(*found);
  resting_.erase(found);
  return operation;
}

bool SumExchange::poll() {
  while (!running_.empty() && advance(false)) continue;
  return running_.empty();
}

bool SumExchange::advance(bool help) {
  bool moved = false;
  for (const Running& running : running_) moved |= running.operation->advance(help);
  if (moved && collect()) enter();
  return moved;
}

/// What is done goes back to its caller; true when something was.
bool SumExchange::collect() {
  for (Running& running : running_) {
    if (!running.operation->done()) continue;
    if (running.in_ring) {
      std::copy_n(route_.memory.sum() + running.offset, running.operation->shape().size,
                  running.buffer);
    }
    resting_.push_back(std::move(running.operation));
  }
  const auto gone =
      std::erase_if(running_, [](const Running& r) { return r.operation == nullptr; });
  if (gone > 0) ended_s_ = now_s();
  return gone > 0;
}

void SumExchange::wait_for(const std::function<bool()>& come) {
  Patience patience(stall_, kOperation);
  while (!come()) patience.idle();
}

void SumExchange::finish() {
  Patience patience(stall_, kOperation);
  while (!running_.empty()) {
    if (advance(true)) {
      patience.progress();
    } else {
      patience.idle();
    }
  }
}

std::int64_t SumExchange::bytes_per_exchange(std::size_t size, std::size_t exact) const {
  return route_.grid.bytes_sent(route_.nodes.own, {size, exact, 0});
}

}  // namespace oida
