#include "placement.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include <sched.h>

#include "core/error.hpp"
#include "earlier_run.hpp"

namespace oida::app {

namespace {

std::vector<int> node_cores(const Comm& comm) {
  const auto& all = comm.placement();
  const int node = all[static_cast<std::size_t>(comm.rank())].node;
  std::set<int> cores;
  for (const auto& place : all) {
    if (place.node == node) cores.insert(place.cores.begin(), place.cores.end());
  }
  return {cores.begin(), cores.end()};
}

bool on_gpu(const DeviceOptions& device) {
  return device.kind == "gpu";
}

/// This rank's GPU.
Device find_gpu(int node_rank) {
  const auto gpus = gpu_devices();
  if (gpus.empty()) {
    throw InputError("device.kind",
                     "gpu: no GPU is visible to this process (CUDA " + cuda_version() + ")");
  }
  return gpu_of(gpus, node_rank);
}

/// device.kernels: a word, or the lines of an earlier run.
std::vector<std::string> kernel_choice(const Deck& deck) {
  const std::string& text = deck.device.kernels;
  const std::string plan = "plan:";
  if (text == "table" || text == "measure") return {text};
  if (!text.starts_with(plan)) {
    throw InputError("device.kernels", "'" + text + "' is not one of table | measure | plan:FILE");
  }
  return recorded_kernels(beside_deck(deck, text.substr(plan.size())));
}

/// Threads inherit it; a launcher that bound the ranks already is left alone.
void bind_to(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(static_cast<std::size_t>(core), &set);
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

DeviceOptions device_options(const Deck& deck) {
  DeviceOptions options;
  options.kind = deck.device.kind;
  options.engine = deck.device.engine;
  options.precision = deck.train.precision;
  options.oversubscribe = deck.device.oversubscribe;
  options.threads = static_cast<int>(deck.device.threads);
  options.memory_limit_mb = deck.device.memory_limit_mb;
  options.kernels = kernel_choice(deck);
  return options;
}

namespace {

ComputePlace place_this_rank(const Comm& comm, const DeviceOptions& device,
                             std::vector<int>& own_cores, std::string& uuid) {
  const auto& own = comm.placement()[static_cast<std::size_t>(comm.rank())];
  const auto cores = node_cores(comm);
  const int available = static_cast<int>(cores.size());
  ComputePlace place;
  if (on_gpu(device)) {
    const Device gpu = find_gpu(own.node_rank);
    place.device = "gpu";
    place.gpu = gpu.ordinal;
    uuid = gpu.uuid;
  }
  own_cores = own.cores;
  place.threads = device.threads > 0 ? device.threads : std::max(1, available / own.node_ranks);
  const int wanted = place.threads * own.node_ranks;
  if (wanted > available) {
    const std::string what = std::to_string(own.node_ranks) + " ranks of " +
                             std::to_string(place.threads) + " threads share " +
                             std::to_string(available) + " cores on " + own.host;
    if (device.oversubscribe == "refuse") throw InputError("device.oversubscribe", what);
    place.warnings.push_back(what);
  } else if (wanted == available && own.cores.size() == cores.size() && own.node_ranks > 1) {
    const auto first = cores.begin() + std::ptrdiff_t{place.threads} * own.node_rank;
    own_cores.assign(first, first + place.threads);
    bind_to(own_cores);
  }
  return place;
}

/// Two ranks on one GPU take turns on it.
void check_shared_gpus(Comm& comm, const DeviceOptions& device, ComputePlace& place) {
  const auto& uuids = place.gpu_uuids;
  for (std::size_t rank = 0; rank < uuids.size(); ++rank) {
    const auto sharing = std::count(uuids.begin(), uuids.end(), uuids[rank]);
    if (sharing == 1) continue;
    const std::string what = std::to_string(sharing) + " ranks share " + uuids[rank] + " on " +
                             comm.placement()[rank].host;
    if (device.oversubscribe == "refuse") {
      throw AgreedError("device.oversubscribe: " + what, Exit::refused);
    }
    place.warnings.push_back(what);
    return;
  }
}

}  // namespace

ComputePlace place_ranks(Comm& comm, const DeviceOptions& device) {
  std::vector<int> own_cores;
  std::string uuid;
  auto place = collectively(comm, [&] { return place_this_rank(comm, device, own_cores, uuid); });
  if (on_gpu(device)) {
    place.gpu_uuids = comm.all_gather(uuid);
    check_shared_gpus(comm, device, place);
  }
  std::ostringstream text;
  for (const int core : own_cores) text << core << ' ';
  for (const auto& list : comm.all_gather(text.str())) {
    std::istringstream cores(list);
    place.cores.emplace_back(std::istream_iterator<int>(cores), std::istream_iterator<int>());
  }
  return place;
}

EngineOptions engine_options(const DeviceOptions& device, const ComputePlace& place, int batch) {
  EngineOptions options;
  options.kind = on_gpu(device) ? "cuda" : device.engine;
  options.device = place.gpu;
  options.memory_limit_bytes = static_cast<std::size_t>(device.memory_limit_mb) * 1'000'000;
  options.precision = device.precision;
  options.threads = place.threads;
  options.kernels = device.kernels;
  options.max_batch = batch;
  return options;
}

}  // namespace oida::app
