#include "comm/sum_operation.hpp"

#include <algorithm>

namespace oida {

SumOperation::SumOperation(const Route& route, const Shape& shape)
    : route_(route),
      shape_(shape),
      contributions_(static_cast<std::size_t>(route.nodes.ranks)),
      parts_(contributions_.size()) {
  for (const Chunk& chunk : route.grid.cut(shape)) {
    const auto lane = static_cast<std::size_t>(chunk.lane);
    if (lanes_.size() <= lane) lanes_.resize(lane + 1);
    lanes_[lane].push_back(chunk);
  }
  const auto own = static_cast<std::size_t>(route.nodes.rank);
  if (route.nodes.count > 1 && own < lanes_.size()) {
    transfer_.emplace(route.messages, route.nodes, lanes_[own], route.kernels, route.remainder);
  }
}

void SumOperation::start(std::size_t offset, std::uint64_t number) {
  for (std::size_t r = 0; r < contributions_.size(); ++r) {
    contributions_[r] = route_.memory.contribution(static_cast<int>(r)) + offset;
  }
  sum_ = route_.memory.sum() + offset;
  begin(number);
}

void SumOperation::start(float* buffer, std::uint64_t number) {
  contributions_[0] = buffer;
  sum_ = buffer;
  begin(number);
}

void SumOperation::begin(std::uint64_t number) {
  number_ = number;
  stage_ = Stage::contributing;
  route_.memory.contribute(number);
  if (transfer_) transfer_->start(number);
}

bool SumOperation::advance(bool help) {
  switch (stage_) {
    case Stage::contributing:
      if (!route_.memory.all_contributed(number_)) return false;
      if (route_.nodes.count == 1) return add_up_lanes(help);
      if (!transfer_) {
        stage_ = Stage::closing;
        return true;
      }
      if (route_.nodes.ranks > 1) add_up(route_.nodes.rank);
      transfer_->send(route_.nodes.ranks > 1 ? sum_ : contributions_[0], sum_);
      stage_ = Stage::travelling;
      return true;
    case Stage::travelling: {
      const bool moved = transfer_->advance();
      if (!transfer_->done()) return moved;
      route_.memory.set_done(number_, route_.nodes.rank);
      stage_ = Stage::closing;
      return true;
    }
    case Stage::closing:
      if (!all_lanes_done()) return false;
      stage_ = Stage::done;
      return true;
    case Stage::done:
      return false;
  }
  return false;
}

/// Within one node any rank may do any lane's work: the bits are the same.
bool SumOperation::add_up_lanes(bool help) {
  const int lanes = static_cast<int>(lanes_.size());
  bool moved = false;
  for (int step = 0; step < (help ? lanes : 1); ++step) {
    const int lane = (route_.nodes.rank + step) % std::max(lanes, route_.nodes.ranks);
    if (lane >= lanes || !route_.memory.claim(number_, lane)) continue;
    add_up(lane);
    route_.memory.set_done(number_, lane);
    moved = true;
  }
  if (!all_lanes_done()) return moved;
  stage_ = Stage::done;
  return true;
}

void SumOperation::add_up(int lane) {
  for (const Chunk& chunk : lanes_[static_cast<std::size_t>(lane)]) {
    for (std::size_t r = 0; r < parts_.size(); ++r) parts_[r] = contributions_[r] + chunk.begin;
    route_.kernels.add_up(parts_.data(), parts_.size(), chunk.count, sum_ + chunk.begin);
  }
}

bool SumOperation::all_lanes_done() const {
  for (int lane = 0; lane < static_cast<int>(lanes_.size()); ++lane) {
    if (!route_.memory.done(number_, lane)) return false;
  }
  return true;
}

}  // namespace oida
