#include "comm/node_memory.hpp"

#include <cstdlib>
#include <new>

#include "comm/mpi_check.hpp"
#include "comm/wire.hpp"

namespace oida {
namespace {

constexpr std::size_t kPage = 1024;  // floats
constexpr std::size_t kStagger =
    208;  // floats; equal places of areas fall into different cache sets

}  // namespace

std::size_t NodeMemory::stride(std::size_t floats) {
  return rounded_up(floats, kPage) + kStagger;
}

std::size_t NodeMemory::bytes(int ranks, std::size_t floats) {
  const auto n = static_cast<std::size_t>(ranks);
  const std::size_t all = n * sizeof(Flags) + (n + 1) * stride(floats) * sizeof(float);
  return rounded_up(all, alignof(Flags));
}

NodeMemory::NodeMemory(MPI_Comm node, std::size_t floats)
    : stride_(stride(floats)), own_(nullptr, std::free) {
  check_mpi(MPI_Comm_rank(node, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(node, &ranks_), "MPI_Comm_size");
  void* memory = nullptr;
  if (ranks_ == 1) {
    own_.reset(static_cast<std::byte*>(std::aligned_alloc(alignof(Flags), bytes(1, floats))));
    memory = own_.get();
    if (memory == nullptr) throw std::bad_alloc();
  } else {
    const std::size_t own = rank_ == 0 ? bytes(ranks_, floats) : 0;
    MPI_Win window = MPI_WIN_NULL;
    check_mpi(MPI_Win_allocate_shared(static_cast<MPI_Aint>(own), 1, MPI_INFO_NULL, node, &memory,
                                      &window),
              "MPI_Win_allocate_shared");
    MPI_Aint size = 0;
    int unit = 0;
    check_mpi(MPI_Win_shared_query(window, 0, &size, &unit, &memory), "MPI_Win_shared_query");
  }
  flags_ = static_cast<Flags*>(memory);
  new (flags_ + rank_) Flags;
  areas_ = reinterpret_cast<float*>(flags_ + ranks_);
}

void NodeMemory::contribute(std::uint64_t number) const {
  flags(rank_).contributed.store(number + 1, std::memory_order_release);
}

bool NodeMemory::all_contributed(std::uint64_t number) const {
  for (int r = 0; r < ranks_; ++r) {
    if (flags(r).contributed.load(std::memory_order_acquire) <= number) return false;
  }
  return true;
}

bool NodeMemory::claim(std::uint64_t number, int lane) const {
  Flag& claimed = flags(lane).claimed[number % kInFlight];
  std::uint64_t before = claimed.load(std::memory_order_relaxed);
  return before <= number &&
         claimed.compare_exchange_strong(before, number + 1, std::memory_order_relaxed);
}

void NodeMemory::set_done(std::uint64_t number, int lane) const {
  flags(lane).done[number % kInFlight].store(number + 1, std::memory_order_release);
}

bool NodeMemory::done(std::uint64_t number, int lane) const {
  return flags(lane).done[number % kInFlight].load(std::memory_order_acquire) > number;
}

}  // namespace oida
