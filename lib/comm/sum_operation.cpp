#include "comm/sum_operation.hpp"

#include <algorithm>

#include "comm/mpi_check.hpp"

namespace oida {
namespace {

constexpr const char* kName = "the sum over all ranks";
constexpr std::size_t kLine = 16;  // floats of a cache line
constexpr std::size_t kChunk = 64 * 1024;
constexpr std::size_t kMaxChunks = 64;  // of a segment: every MPI has at least 32767 tags
constexpr std::size_t kBlock = 512;     // sums that stay in registers and first-level cache

std::size_t rounded_up(std::size_t n, std::size_t unit) {
  return (n + unit - 1) / unit * unit;
}

std::size_t divided_up(std::size_t n, std::size_t by) {
  return (n + by - 1) / by;
}

}  // namespace

SumOperation::SumOperation(MPI_Comm comm, int rank, int ranks, std::size_t size)
    : comm_(comm),
      rank_(rank),
      ranks_(ranks),
      size_(size),
      segment_(rounded_up(divided_up(size, static_cast<std::size_t>(ranks)), kLine)),
      chunk_(std::max(kChunk, rounded_up(divided_up(segment_, kMaxChunks), kLine))),
      parts_(static_cast<std::size_t>(ranks)) {
  add_peer_slots();
  add_own_slots();
  requests_.assign(slots_.size(), MPI_REQUEST_NULL);
  ended_.resize(slots_.size());
  statuses_.resize(slots_.size());
}

void SumOperation::add_peer_slots() {
  for (int step = 1; step < ranks_; ++step) {
    const int peer = (rank_ + step) % ranks_;
    const std::size_t begin = std::min(size_, segment_ * static_cast<std::size_t>(peer));
    const std::size_t end = std::min(size_, begin + segment_);
    int chunk = 0;
    for (std::size_t offset = begin; offset < end; offset += chunk_) {
      const auto count = static_cast<int>(std::min(chunk_, end - offset));
      slots_.push_back({peer, chunk++, offset, count, nullptr, false});
    }
  }
  first_own_ = slots_.size();
}

void SumOperation::add_own_slots() {
  const std::size_t begin = std::min(size_, segment_ * static_cast<std::size_t>(rank_));
  const std::size_t length = std::min(size_, begin + segment_) - begin;
  scratch_.resize(length * static_cast<std::size_t>(ranks_ - 1));
  float* scratch = scratch_.data();
  for (std::size_t done = 0; done < length; done += chunk_) {
    const auto count = static_cast<int>(std::min(chunk_, length - done));
    for (int step = 1; step < ranks_; ++step) {
      const int peer = (rank_ + ranks_ - step) % ranks_;
      slots_.push_back(
          {peer, static_cast<int>(missing_.size()), begin + done, count, scratch, false});
      scratch += count;
    }
    missing_.push_back(ranks_ - 1);
  }
}

std::span<SumOperation::Slot> SumOperation::own_slots(int chunk) {
  const auto run = static_cast<std::size_t>(ranks_ - 1);
  return std::span(slots_).subspan(first_own_ + run * static_cast<std::size_t>(chunk), run);
}

// What goes to an owner and what comes back from it need no tags of their own: between two ranks
// the former is sent and awaited first, and messages do not overtake each other.
int SumOperation::tag(const Slot& slot) const {
  return base_tag_ + slot.chunk;
}

void SumOperation::start(float* buffer, unsigned sequence) {
  buffer_ = buffer;
  base_tag_ = static_cast<int>(sequence % kInFlight * kMaxChunks);
  std::fill(missing_.begin(), missing_.end(), ranks_ - 1);
  open_ = slots_.size();
  for (Slot& slot : slots_) slot.returning = false;
  for (std::size_t i = first_own_; i < slots_.size(); ++i) receive(i);
  for (std::size_t i = 0; i < first_own_; ++i) send(i);
}

void SumOperation::send(std::size_t i) {
  const Slot& slot = slots_[i];
  check_mpi(MPI_Isend(buffer_ + slot.offset, slot.count, MPI_FLOAT, slot.peer, tag(slot), comm_,
                      &requests_[i]),
            kName);
}

void SumOperation::receive(std::size_t i) {
  const Slot& slot = slots_[i];
  float* target = slot.scratch == nullptr ? buffer_ + slot.offset : slot.scratch;
  check_mpi(MPI_Irecv(target, slot.count, MPI_FLOAT, slot.peer, tag(slot), comm_, &requests_[i]),
            kName);
}

bool SumOperation::advance() {
  int count = 0;
  const int code = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                                ended_.data(), statuses_.data());
  if (count == MPI_UNDEFINED) count = 0;
  check_mpi(code, std::span(statuses_).first(static_cast<std::size_t>(count)), kName);
  for (int i = 0; i < count; ++i) {
    ended(static_cast<std::size_t>(ended_[static_cast<std::size_t>(i)]));
  }
  return count > 0;
}

void SumOperation::ended(std::size_t i) {
  Slot& slot = slots_[i];
  if (slot.returning) {
    --open_;
    return;
  }
  slot.returning = true;
  if (slot.scratch == nullptr) {
    receive(i);
    return;
  }
  if (--missing_[static_cast<std::size_t>(slot.chunk)] > 0) return;
  add_up(slot.chunk);
  const auto run = static_cast<std::size_t>(ranks_ - 1);
  const std::size_t first = first_own_ + run * static_cast<std::size_t>(slot.chunk);
  for (std::size_t k = first; k < first + run; ++k) send(k);
}

// In the order of the ranks, whoever came first.
void SumOperation::add_up(int chunk) {
  const std::span<Slot> slots = own_slots(chunk);
  float* own = buffer_ + slots.front().offset;
  parts_[static_cast<std::size_t>(rank_)] = own;
  for (const Slot& slot : slots) parts_[static_cast<std::size_t>(slot.peer)] = slot.scratch;
  const auto count = static_cast<std::size_t>(slots.front().count);
  std::array<float, kBlock> sum;
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t length = std::min(kBlock, count - begin);
    std::copy_n(parts_.front() + begin, length, sum.data());
    for (std::size_t r = 1; r < parts_.size(); ++r) {
      const float* part = parts_[r] + begin;
      for (std::size_t i = 0; i < length; ++i) sum[i] += part[i];
    }
    std::copy_n(sum.data(), length, own + begin);
  }
}

}  // namespace oida
