#pragma once
// Memory that the ranks of one node share: an area for each rank's contributions, one for sums, and
// flags. A rank alone on its node has it to itself, from the heap.
//
// Flags only grow: an operation has a number, the same on all ranks, and a flag holds one more than
// the highest operation that it stands for. Nobody ever resets one.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <mpi.h>

namespace oida {

inline constexpr std::size_t kInFlight = 64;  // operations, from the oldest to the newest

class NodeMemory {
 public:
  /// Collective over `node`, the communicator of the ranks of this node. `floats` of each area.
  /// Not to be used before all ranks of the node have made theirs. Shared memory stays until the
  /// process ends: to give it back is collective, which a destructor must not be.
  NodeMemory(MPI_Comm node, std::size_t floats);
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;

  int ranks() const { return ranks_; }
  float* contribution(int rank) const { return area(static_cast<std::size_t>(rank)); }
  float* sum() const { return area(static_cast<std::size_t>(ranks_)); }

  /// This rank's contribution to the operation `number`, and to all before it, is written.
  void contribute(std::uint64_t number) const;
  /// All ranks' contributions to `number` are written.
  bool all_contributed(std::uint64_t number) const;
  /// Takes on what `lane` has to do for `number`; false where another rank has.
  bool claim(std::uint64_t number, int lane) const;
  /// The sum of `lane` in the operation `number` is written.
  void set_done(std::uint64_t number, int lane) const;
  bool done(std::uint64_t number, int lane) const;

  /// Bytes of a node's memory.
  static std::size_t bytes(int ranks, std::size_t floats);

 private:
  using Flag = std::atomic<std::uint64_t>;
  static_assert(Flag::is_always_lock_free);
  struct alignas(64) Flags {
    Flag contributed{0};
    alignas(64) std::array<Flag, kInFlight> claimed{};  // of the lane of this rank
    alignas(64) std::array<Flag, kInFlight> done{};
  };

  static std::size_t stride(std::size_t floats);
  float* area(std::size_t k) const { return areas_ + k * stride_; }
  Flags& flags(int rank) const { return flags_[static_cast<std::size_t>(rank)]; }

  int rank_ = 0;
  int ranks_ = 1;
  std::size_t stride_;
  std::unique_ptr<std::byte[], void (*)(void*)> own_;
  Flags* flags_ = nullptr;
  float* areas_ = nullptr;
};

}  // namespace oida
