#pragma once
// One sum over all ranks, in flight or waiting to be used again: the ranks of a node write their
// contributions, each lane adds up its chunks of them in the order of the ranks, carries them over
// the nodes where there are several, and is done; when all lanes are, the sum is there.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mpi.h>

#include "comm/chunks.hpp"
#include "comm/kernels.hpp"
#include "comm/lane_transfer.hpp"
#include "comm/node_memory.hpp"

namespace oida {

/// What all operations of an exchange have in common; outlives them.
struct Route {
  MPI_Comm messages;
  Nodes nodes;
  Grid grid;
  const NodeMemory& memory;
  const Kernels& kernels;
  std::span<float> remainder;
};

class SumOperation {
 public:
  SumOperation(const Route& route, const Shape& shape);
  SumOperation(const SumOperation&) = delete;
  SumOperation& operator=(const SumOperation&) = delete;

  const Shape& shape() const { return shape_; }
  std::uint64_t number() const { return number_; }
  bool done() const { return stage_ == Stage::done; }

  /// This rank's contribution stands at `offset` in its area of the node's memory, and the sum
  /// comes to `offset` in the area of sums.
  void start(std::size_t offset, std::uint64_t number);
  /// The same where this rank is alone on its node: contribution and sum stand in `buffer`.
  void start(float* buffer, std::uint64_t number);
  /// Makes progress; true when something moved. `help`: also for ranks of this node that have not
  /// come to it.
  bool advance(bool help);

 private:
  enum class Stage { contributing, travelling, closing, done };

  void begin(std::uint64_t number);
  void add_up(int lane);
  bool add_up_lanes(bool help);
  bool all_lanes_done() const;

  const Route& route_;
  Shape shape_;
  std::vector<std::vector<Chunk>> lanes_;  // that have chunks
  std::optional<LaneTransfer> transfer_;
  std::vector<const float*> contributions_;  // of the ranks of this node
  std::vector<const float*> parts_;
  float* sum_ = nullptr;
  std::uint64_t number_ = 0;
  Stage stage_ = Stage::done;
};

}  // namespace oida
