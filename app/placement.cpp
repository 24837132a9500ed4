#include "placement.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>

#include <sched.h>

#include "core/error.hpp"
#include "earlier_run.hpp"
#include "engine/canonical_engine.hpp"

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

bool may_use_gpus(const DeviceOptions& device) {
  return device.kind == "gpu" || device.kind == "mixed";
}

/// This rank's GPU.
std::optional<Device> find_gpu(const DeviceOptions& device, int node_rank) {
  if (!may_use_gpus(device)) return std::nullopt;
  const auto gpus = gpu_devices();
  if (device.kind == "mixed") {
    const auto own = static_cast<std::size_t>(node_rank);
    return own < gpus.size() ? std::optional(gpus[own]) : std::nullopt;
  }
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
  if (const auto gpu = find_gpu(device, own.node_rank)) {
    place.gpu = gpu->ordinal;
    uuid = gpu->uuid;
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
    if (uuids[rank].empty()) continue;
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

std::string job_device(const ComputePlace& place) {
  const auto without = std::ranges::count(place.gpu_uuids, std::string());
  if (without == std::ssize(place.gpu_uuids)) {
    throw AgreedError("device.kind: mixed: no rank sees a GPU (CUDA " + cuda_version() + ")",
                      Exit::refused);
  }
  return without == 0 ? "gpu" : "mixed";
}

}  // namespace

ComputePlace place_ranks(Comm& comm, const DeviceOptions& device) {
  std::vector<int> own_cores;
  std::string uuid;
  auto place = collectively(comm, [&] { return place_this_rank(comm, device, own_cores, uuid); });
  if (may_use_gpus(device)) {
    place.gpu_uuids = comm.all_gather(uuid);
    place.device = job_device(place);
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

std::unique_ptr<Engine> in_one_order(Comm& comm, std::unique_ptr<Engine> engine) {
  const auto orders = comm.all_gather(std::to_string(order_checksum(*engine)));
  if (std::ranges::count(orders, orders.front()) == std::ssize(orders)) return engine;
  return in_canonical_order(std::move(engine));
}

EngineOptions engine_options(const DeviceOptions& device, const ComputePlace& place, int batch) {
  EngineOptions options;
  options.kind = place.gpu >= 0 ? "cuda" : device.engine;
  options.device = std::max(place.gpu, 0);
  options.memory_limit_bytes = static_cast<std::size_t>(device.memory_limit_mb) * 1'000'000;
  options.precision = device.precision;
  options.threads = place.threads;
  options.kernels = device.kernels;
  options.max_batch = batch;
  return options;
}

}  // namespace oida::app
