#pragma once
// The way of one lane between nodes: its chunks of one operation, in flight or waiting to be used
// again.
//
// Each chunk has an owner: the other nodes send it their sums, it adds them up in the order of the
// nodes and sends the sum back (a reduce-scatter and an all-gather, each value crossing the network
// twice as in a ring). All nodes therefore hold the bits that the owner computed, and these do not
// depend on who came first. Compared with a ring the chain of dependent messages is 2 long instead
// of 2 (n - 1), so few polls carry it to its end; and each node sends to its right neighbour first,
// so that no node is everybody's first target. On a lossy wire sender and owner round, each keeps
// what it left out, and the owner uses what it sends.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mpi.h>

#include "comm/chunks.hpp"
#include "comm/kernels.hpp"

namespace oida {

class LaneTransfer {
 public:
  /// `chunks` are the lane's; `remainder` is the lane's whole state. Allocates all it ever needs.
  LaneTransfer(MPI_Comm comm, const Nodes& nodes, std::vector<Chunk> chunks, const Kernels& kernels,
               std::span<float> remainder);
  LaneTransfer(const LaneTransfer&) = delete;
  LaneTransfer& operator=(const LaneTransfer&) = delete;

  const std::vector<Chunk>& chunks() const { return chunks_; }
  bool done() const { return open_ == 0; }

  /// Posts what is received first.
  void start(std::uint64_t number);
  /// The node's sum stands at `node_sum`; the sum over all nodes comes to `sum`, which may be the
  /// same place.
  void send(const float* node_sum, float* sum);
  /// Makes progress; true when a message ended. @pre start() was called.
  bool advance();

 private:
  /// A chunk that goes to its owner and comes back, or comes from another node and goes back.
  struct Slot {
    std::size_t chunk;
    int node;
    bool own;            // this node owns the chunk
    std::size_t memory;  // where its bytes come and go; unused for a foreign chunk in fp32
    bool returning;
  };

  void add_slots();
  void post_send(std::size_t slot);
  void post_receive(std::size_t slot);
  std::byte* bytes_of(const Slot& slot, bool sending);
  void ended(std::size_t slot);
  void part_came(std::size_t chunk);
  void add_up(std::size_t chunk);
  void round(std::size_t chunk, const float* values);
  int tag(const Slot& slot, bool returning) const;

  MPI_Comm comm_;
  const Nodes& nodes_;
  std::vector<Chunk> chunks_;
  const Kernels& kernels_;
  std::span<float> remainder_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> sent_from_;  // of each chunk: its rounded bytes in memory_
  std::vector<std::byte> memory_;
  std::vector<float> decoded_;       // of one owned chunk: the other nodes' parts
  std::vector<int> missing_;         // parts still to come, of each chunk
  std::vector<const float*> parts_;  // of the chunk being added up, by node
  std::vector<MPI_Request> requests_;
  std::vector<int> ended_;
  std::vector<MPI_Status> statuses_;
  const float* node_sum_ = nullptr;
  float* sum_ = nullptr;
  int base_tag_ = 0;
  std::size_t open_ = 0;  // slots that have not ended
};

}  // namespace oida
