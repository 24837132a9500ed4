#include "comm/lane_transfer.hpp"

#include <algorithm>
#include <utility>

#include "comm/mpi_check.hpp"
#include "comm/node_memory.hpp"

namespace oida {
namespace {

constexpr const char* kName = "the sum over all ranks";
constexpr std::size_t kLine_bytes = 64;
static_assert(kInFlight * kChunkTags * 2 <= 32767, "every MPI has so many tags and no more");

}  // namespace

LaneTransfer::LaneTransfer(MPI_Comm comm, const Nodes& nodes, std::vector<Chunk> chunks,
                           const Kernels& kernels, std::span<float> remainder)
    : comm_(comm),
      nodes_(nodes),
      chunks_(std::move(chunks)),
      kernels_(kernels),
      remainder_(remainder),
      missing_(chunks_.size()),
      parts_(static_cast<std::size_t>(nodes.count)) {
  add_slots();
  requests_.assign(slots_.size(), MPI_REQUEST_NULL);
  ended_.resize(slots_.size());
  statuses_.resize(slots_.size());
}

void LaneTransfer::add_slots() {
  std::size_t bytes = 0;
  std::size_t decoded = 0;
  const auto room = [&](const Chunk& chunk) {
    const std::size_t at = bytes;
    bytes += rounded_up(wire_bytes(chunk.wire, chunk.count), kLine_bytes);
    return at;
  };
  for (int step = 1; step < nodes_.count; ++step) {
    const int to = (nodes_.own + step) % nodes_.count;
    const int from = (nodes_.own + nodes_.count - step) % nodes_.count;
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
      const Chunk& chunk = chunks_[c];
      if (chunk.owner == nodes_.own) {
        slots_.push_back({c, from, true, room(chunk), false});
      } else if (chunk.owner == to) {
        slots_.push_back({c, to, false, 0, false});
      }
    }
  }
  for (const Chunk& chunk : chunks_) {
    sent_from_.push_back(chunk.wire == Wire::fp32 ? 0 : room(chunk));
    if (chunk.wire != Wire::fp32 && chunk.owner == nodes_.own) {
      decoded = std::max(decoded, chunk.count);
    }
  }
  for (Slot& slot : slots_) {
    if (!slot.own) slot.memory = sent_from_[slot.chunk];
  }
  memory_.resize(bytes);
  decoded_.resize(decoded * static_cast<std::size_t>(nodes_.count - 1));
}

// To the owner even, back from it odd.
int LaneTransfer::tag(const Slot& slot, bool returning) const {
  return base_tag_ + 2 * chunks_[slot.chunk].tag + (returning ? 1 : 0);
}

void LaneTransfer::start(std::uint64_t number) {
  base_tag_ = static_cast<int>(number % kInFlight) * kChunkTags * 2;
  std::fill(missing_.begin(), missing_.end(), nodes_.count);
  open_ = slots_.size();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].returning = false;
    if (slots_[i].own) post_receive(i);
  }
}

void LaneTransfer::send(const float* node_sum, float* sum) {
  node_sum_ = node_sum;
  sum_ = sum;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].own) continue;
    const Chunk& chunk = chunks_[slots_[i].chunk];
    if (chunk.wire != Wire::fp32) round(slots_[i].chunk, node_sum + chunk.begin);
    post_send(i);
  }
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    if (chunks_[c].owner == nodes_.own) part_came(c);
  }
}

void LaneTransfer::round(std::size_t c, const float* values) {
  const Chunk& chunk = chunks_[c];
  kernels_.encode(chunk.wire, values, chunk.count, remainder_.data() + chunk.remainder,
                  memory_.data() + sent_from_[c]);
}

// An owned chunk comes into memory of its own and leaves from where its sum is; a foreign one in
// fp32 leaves from the node's sum and comes to the sum.
std::byte* LaneTransfer::bytes_of(const Slot& slot, bool sending) {
  const Chunk& chunk = chunks_[slot.chunk];
  const bool plain = chunk.wire == Wire::fp32;
  if (slot.own && !sending) return memory_.data() + slot.memory;
  if (!plain) return memory_.data() + sent_from_[slot.chunk];
  const float* from = slot.own || !sending ? sum_ : node_sum_;
  return reinterpret_cast<std::byte*>(const_cast<float*>(from + chunk.begin));
}

void LaneTransfer::post_send(std::size_t i) {
  const Slot& slot = slots_[i];
  const Chunk& chunk = chunks_[slot.chunk];
  const auto bytes = static_cast<int>(wire_bytes(chunk.wire, chunk.count));
  check_mpi(MPI_Isend(bytes_of(slot, true), bytes, MPI_BYTE,
                      nodes_.peers[static_cast<std::size_t>(slot.node)], tag(slot, slot.own), comm_,
                      &requests_[i]),
            kName);
}

void LaneTransfer::post_receive(std::size_t i) {
  const Slot& slot = slots_[i];
  const Chunk& chunk = chunks_[slot.chunk];
  const auto bytes = static_cast<int>(wire_bytes(chunk.wire, chunk.count));
  check_mpi(MPI_Irecv(bytes_of(slot, false), bytes, MPI_BYTE,
                      nodes_.peers[static_cast<std::size_t>(slot.node)], tag(slot, !slot.own),
                      comm_, &requests_[i]),
            kName);
}

bool LaneTransfer::advance() {
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

void LaneTransfer::ended(std::size_t i) {
  Slot& slot = slots_[i];
  const Chunk& chunk = chunks_[slot.chunk];
  if (!slot.returning) {
    slot.returning = true;
    if (slot.own) return part_came(slot.chunk);
    return post_receive(i);
  }
  --open_;
  if (!slot.own && chunk.wire != Wire::fp32) {
    kernels_.decode(chunk.wire, memory_.data() + slot.memory, chunk.count, sum_ + chunk.begin);
  }
}

void LaneTransfer::part_came(std::size_t c) {
  if (--missing_[c] > 0) return;
  add_up(c);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].chunk == c) post_send(i);
  }
}

// In the order of the nodes, whoever came first.
void LaneTransfer::add_up(std::size_t c) {
  const Chunk& chunk = chunks_[c];
  const bool plain = chunk.wire == Wire::fp32;
  float* decoded = decoded_.data();
  parts_[static_cast<std::size_t>(nodes_.own)] = node_sum_ + chunk.begin;
  for (const Slot& slot : slots_) {
    if (slot.chunk != c) continue;
    const std::byte* came = memory_.data() + slot.memory;
    if (plain) {
      parts_[static_cast<std::size_t>(slot.node)] = reinterpret_cast<const float*>(came);
      continue;
    }
    kernels_.decode(chunk.wire, came, chunk.count, decoded);
    parts_[static_cast<std::size_t>(slot.node)] = decoded;
    decoded += chunk.count;
  }
  float* sum = sum_ + chunk.begin;
  kernels_.add_up(parts_.data(), parts_.size(), chunk.count, sum);
  if (plain) return;
  round(c, sum);
  kernels_.decode(chunk.wire, memory_.data() + sent_from_[c], chunk.count, sum);
}

}  // namespace oida
