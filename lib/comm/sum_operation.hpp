#pragma once
// One sum over all ranks, in flight or waiting to be used again.
//
// The buffer is cut into one segment a rank. Each rank owns its segment: the others send it theirs,
// it adds them up in the order of the ranks and sends the sum back (a reduce-scatter and an
// all-gather, each value crossing the network twice as in a ring). All ranks therefore hold the
// bits that the owner computed, and these do not depend on who came first. Compared with a ring the
// chain of dependent messages is 2 long instead of 2 (n - 1), so few polls carry it to its end; and
// each rank sends to its right neighbour first, so that no rank is everybody's first target.
// Segments travel in chunks: one is added up while others are on their way.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <mpi.h>

#include "core/aligned.hpp"

namespace oida {

class SumOperation {
 public:
  /// Sums buffers of `size` floats. Allocates all it ever needs.
  SumOperation(MPI_Comm comm, int rank, int ranks, std::size_t size);
  SumOperation(const SumOperation&) = delete;
  SumOperation& operator=(const SumOperation&) = delete;

  std::size_t size() const { return size_; }
  bool done() const { return open_ == 0; }

  /// Posts the first messages. `sequence`, the same on all ranks, tells sums in flight together
  /// apart: it may repeat after kInFlight.
  void start(float* buffer, unsigned sequence);
  /// Makes progress; true when a message ended. @pre start() was called.
  bool advance();

  static constexpr unsigned kInFlight = 128;

 private:
  /// A chunk that goes to a peer and comes back (it owns it), or comes from a peer and goes back.
  struct Slot {
    int peer;
    int chunk;           // within its segment
    std::size_t offset;  // within the buffer
    int count;
    float* scratch;  // where the peer's part of an own chunk is put; null for a peer's chunk
    bool returning;
  };

  void add_peer_slots();
  void add_own_slots();
  std::span<Slot> own_slots(int chunk);
  int tag(const Slot& slot) const;
  void send(std::size_t slot);
  void receive(std::size_t slot);
  void ended(std::size_t slot);
  void add_up(int chunk);

  MPI_Comm comm_;
  int rank_;
  int ranks_;
  std::size_t size_;
  std::size_t segment_;  // floats of a full segment
  std::size_t chunk_;    // floats of a full chunk
  AlignedVector<float> scratch_;
  std::vector<Slot> slots_;          // peers' chunks, then own chunks, a run of ranks - 1 each
  std::size_t first_own_ = 0;        // slot
  std::vector<int> missing_;         // parts still to come, for each own chunk
  std::vector<const float*> parts_;  // of the chunk being added up, by rank
  std::vector<MPI_Request> requests_;
  std::vector<int> ended_;
  std::vector<MPI_Status> statuses_;
  float* buffer_ = nullptr;
  int base_tag_ = 0;
  std::size_t open_ = 0;  // slots that have not ended
};

}  // namespace oida
