#include "comm/mpi_comm.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>
#include <utility>

#include "comm/mpi_check.hpp"
#include "comm/mpi_device_messages.hpp"
#include "comm/mpi_mailbox.hpp"
#include "comm/nodes.hpp"
#include "comm/placement.hpp"
#include "comm/sum_exchange.hpp"

namespace oida {
namespace {

constexpr std::size_t kChunk_bytes = std::size_t{16} << 20;  // MPI counts are ints
constexpr int kGatherTag = 1;

/// Calls use(part) for parts of at most kChunk_bytes.
template <typename Byte, typename Use>
void in_chunks(std::span<Byte> bytes, Use&& use) {
  for (std::size_t begin = 0; begin < bytes.size(); begin += kChunk_bytes) {
    use(bytes.subspan(begin, std::min(kChunk_bytes, bytes.size() - begin)));
  }
}

std::string text_of(std::span<const std::byte> bytes) {
  std::string text(bytes.size(), '\0');
  if (!bytes.empty()) std::memcpy(text.data(), bytes.data(), bytes.size());
  return text;
}

}  // namespace

MpiComm::MpiComm(MPI_Comm parent) {
  check_mpi(MPI_Comm_rank(parent, &stall_.rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(parent, &size_), "MPI_Comm_size");
  comm_ = duplicate(parent, "start");
  roll_call_ = std::make_unique<RollCall>(duplicate(comm_, "start"), rank(), size_);
  find_placement();
  for (const Placement& place : placement_) stall_.hosts.push_back(place.host);
  stall_.roll_call = roll_call_.get();
}

MPI_Comm MpiComm::duplicate(MPI_Comm parent, const char* operation) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Comm_idup(parent, &copy, &request), operation);
  wait(request, operation);
  return copy;
}

void MpiComm::barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(comm_, &request), "barrier");
  wait(request, "barrier");
}

void MpiComm::broadcast(std::span<std::byte> bytes, int root) {
  in_chunks(bytes, [&](std::span<std::byte> part) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(
        MPI_Ibcast(part.data(), static_cast<int>(part.size()), MPI_BYTE, root, comm_, &request),
        "broadcast");
    wait(request, "broadcast");
  });
}

// Reduced on one rank and broadcast from there: an all-reduce may give ranks different bits.
void MpiComm::reduce(void* values, std::size_t count, MPI_Datatype type, MPI_Op op,
                     const char* operation) {
  constexpr std::size_t kItem_bytes = 8;  // of double and int64_t
  const std::span<std::byte> bytes(static_cast<std::byte*>(values), count * kItem_bytes);
  in_chunks(bytes, [&](std::span<std::byte> part) {
    const bool root = rank() == 0;
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(
        MPI_Ireduce(root ? MPI_IN_PLACE : part.data(), root ? part.data() : nullptr,
                    static_cast<int>(part.size() / kItem_bytes), type, op, 0, comm_, &request),
        operation);
    wait(request, operation);
  });
  broadcast(bytes, 0);
}

void MpiComm::sum(std::span<double> values) {
  reduce(values.data(), values.size(), MPI_DOUBLE, MPI_SUM, "sum");
}

void MpiComm::sum(std::span<std::int64_t> values) {
  reduce(values.data(), values.size(), MPI_INT64_T, MPI_SUM, "sum");
}

void MpiComm::maximum(std::span<double> values) {
  reduce(values.data(), values.size(), MPI_DOUBLE, MPI_MAX, "maximum");
}

std::vector<std::uint64_t> MpiComm::gather_sizes(std::uint64_t own) {
  std::vector<std::uint64_t> sizes(rank() == 0 ? static_cast<std::size_t>(size_) : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Igather(&own, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, 0, comm_, &request),
            "gather");
  wait(request, "gather");
  return sizes;
}

std::vector<std::vector<std::byte>> MpiComm::gather(std::span<const std::byte> bytes) {
  const std::vector<std::uint64_t> sizes = gather_sizes(bytes.size());
  std::vector<std::vector<std::byte>> all(sizes.size());
  std::vector<MPI_Request> requests;
  const auto add = [&] { return &requests.emplace_back(MPI_REQUEST_NULL); };
  if (rank() != 0) {
    in_chunks(bytes, [&](std::span<const std::byte> part) {
      check_mpi(MPI_Isend(part.data(), static_cast<int>(part.size()), MPI_BYTE, 0, kGatherTag,
                          comm_, add()),
                "gather");
    });
  } else {
    all[0].assign(bytes.begin(), bytes.end());
  }
  for (std::size_t r = 1; r < all.size(); ++r) {
    all[r].resize(sizes[r]);
    in_chunks(std::span(all[r]), [&](std::span<std::byte> part) {
      check_mpi(MPI_Irecv(part.data(), static_cast<int>(part.size()), MPI_BYTE, static_cast<int>(r),
                          kGatherTag, comm_, add()),
                "gather");
    });
  }
  wait_all(requests, stall_, "gather");
  return all;
}

std::vector<std::string> MpiComm::gather(const std::string& text) {
  std::vector<std::string> texts;
  for (const auto& bytes : gather(std::as_bytes(std::span(text)))) texts.push_back(text_of(bytes));
  return texts;
}

std::string MpiComm::broadcast(const std::string& text, int root) {
  std::uint64_t size = text.size();
  broadcast(std::as_writable_bytes(std::span(&size, 1)), root);
  std::string copy = rank() == root ? text : std::string(size, '\0');
  broadcast(std::as_writable_bytes(std::span(copy)), root);
  return copy;
}

std::vector<std::string> MpiComm::all_gather(const std::string& text) {
  std::string joined;
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(size_));
  const std::vector<std::string> gathered = gather(text);
  for (std::size_t r = 0; r < gathered.size(); ++r) {
    sizes[r] = gathered[r].size();
    joined += gathered[r];
  }
  broadcast_values(sizes, 0);
  joined = broadcast(joined, 0);
  std::vector<std::string> texts;
  std::size_t begin = 0;
  for (const std::uint64_t size : sizes) {
    texts.push_back(joined.substr(begin, size));
    begin += size;
  }
  return texts;
}

// MPI_Comm_split_type has no non-blocking form before MPI-4; like MPI_Init it is paid once.
int MpiComm::node_leader() {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank(), MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  int leader = rank();
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibcast(&leader, 1, MPI_INT, 0, node, &request), "start");
  wait(request, "start");
  check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
  return leader;
}

void MpiComm::find_placement() {
  std::ostringstream own;
  own << node_leader() << ' ' << host_name();
  for (const int core : allowed_cores()) own << ' ' << core;
  std::vector<int> leaders;
  for (const std::string& text : all_gather(own.str())) {
    std::istringstream in(text);
    Placement place;
    in >> leaders.emplace_back() >> place.host;
    for (int core = 0; in >> core;) place.cores.push_back(core);
    placement_.push_back(std::move(place));
  }
  number_nodes(placement_, leaders);
}

MPI_Comm MpiComm::node_comm(int ranks_per_node) {
  MPI_Comm& node = node_comms_.try_emplace(ranks_per_node, MPI_COMM_NULL).first->second;
  if (node == MPI_COMM_NULL) {
    const Nodes nodes = nodes_of(placement_, rank(), ranks_per_node);
    check_mpi(MPI_Comm_split(comm_, nodes.own, rank(), &node), "MPI_Comm_split");
  }
  return node;
}

/// A page of a full shared memory that is touched kills the process, so this is asked before.
bool MpiComm::shared_memory_suffices(int ranks_per_node, std::size_t floats) {
  const Nodes nodes = nodes_of(placement_, rank(), ranks_per_node);
  const std::size_t needed = nodes.ranks > 1 ? NodeMemory::bytes(nodes.ranks, floats) : 0;
  std::array<double, 1> lacking{needed > free_shared_memory_bytes() ? 1.0 : 0.0};
  maximum(lacking);
  return lacking[0] == 0.0;
}

/// Exchanges may have ended in another order elsewhere: the oldest that fits is the same on all.
std::unique_ptr<Channel> MpiComm::take_channel(int ranks_per_node, std::size_t floats) {
  auto best = channels_.end();
  for (auto at = channels_.begin(); at != channels_.end(); ++at) {
    const bool fits = (*at)->ranks_per_node == ranks_per_node && (*at)->floats >= floats;
    if (fits && (best == channels_.end() || (*at)->id < (*best)->id)) best = at;
  }
  if (best == channels_.end()) return nullptr;
  std::unique_ptr<Channel> channel = std::move(*best);
  channels_.erase(best);
  return channel;
}

std::unique_ptr<Channel> MpiComm::new_channel(int ranks_per_node, std::size_t floats) {
  auto channel = std::make_unique<Channel>();
  channel->id = channels_made_++;
  channel->ranks_per_node = ranks_per_node;
  channel->floats = floats;
  channel->messages = duplicate(comm_, "make_exchange");
  channel->memory = std::make_unique<NodeMemory>(node_comm(ranks_per_node), floats);
  barrier();
  return channel;
}

std::unique_ptr<Exchange> MpiComm::make_exchange(const ExchangeOptions& options) {
  const std::size_t floats = SumExchange::area_floats(options);
  int ranks_per_node = options.ranks_per_node;
  std::unique_ptr<Channel> channel = take_channel(ranks_per_node, floats);
  if (!channel && !shared_memory_suffices(ranks_per_node, floats)) {
    ranks_per_node = 1;
    channel = take_channel(ranks_per_node, floats);
  }
  if (!channel) channel = new_channel(ranks_per_node, floats);
  return std::make_unique<SumExchange>(
      std::move(channel), nodes_of(placement_, rank(), ranks_per_node), stall_, options,
      [this](std::unique_ptr<Channel> used) { channels_.push_back(std::move(used)); });
}

std::unique_ptr<Mailbox> MpiComm::make_mailbox(std::size_t floats) {
  return std::make_unique<MpiMailbox>(duplicate(comm_, "make_mailbox"), stall_, size_, floats);
}

std::unique_ptr<DeviceMessages> MpiComm::make_device_messages() {
  std::vector<std::int64_t> taking{mpi_takes_device_memory() ? 1 : 0};
  sum(taking);
  if (taking.front() < size_) return nullptr;
  return std::make_unique<MpiDeviceMessages>(duplicate(comm_, "make_device_messages"));
}

}  // namespace oida
