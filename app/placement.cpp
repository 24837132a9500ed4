#include "placement.hpp"

#include <algorithm>
#include <set>

#include <sched.h>

#include "core/error.hpp"

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

void refuse_missing_device(const DeviceOptions& device) {
  if (device.kind != "gpu") return;
  if (gpu_devices().empty()) {
    throw InputError("device.kind",
                     "gpu: no GPU is visible to this process (CUDA " + cuda_version() + ")");
  }
  throw InputError("device.kind", "gpu: this version trains on CPUs only");
}

/// Threads inherit it; a launcher that bound the ranks already is left alone.
void bind_to(const std::vector<int>& cores, std::size_t first, std::size_t count) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (std::size_t i = first; i < first + count; ++i) {
    CPU_SET(static_cast<std::size_t>(cores[i]), &set);
  }
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
  return options;
}

ComputePlace place_rank(const Comm& comm, const DeviceOptions& device) {
  refuse_missing_device(device);
  const auto& own = comm.placement()[static_cast<std::size_t>(comm.rank())];
  const auto cores = node_cores(comm);
  const int available = static_cast<int>(cores.size());
  ComputePlace place;
  place.threads = device.threads > 0 ? device.threads : std::max(1, available / own.node_ranks);
  const int wanted = place.threads * own.node_ranks;
  if (wanted > available) {
    const std::string what = std::to_string(own.node_ranks) + " ranks of " +
                             std::to_string(place.threads) + " threads share " +
                             std::to_string(available) + " cores on " + own.host;
    if (device.oversubscribe == "refuse") throw InputError("device.oversubscribe", what);
    place.warnings.push_back(what);
  } else if (own.cores.size() == cores.size() && own.node_ranks > 1) {
    const auto threads = static_cast<std::size_t>(place.threads);
    bind_to(cores, threads * static_cast<std::size_t>(own.node_rank), threads);
  }
  return place;
}

EngineOptions engine_options(const DeviceOptions& device, const ComputePlace& place, int batch,
                             std::vector<float> class_weights) {
  EngineOptions options;
  options.kind = device.engine;
  options.precision = device.precision;
  options.threads = place.threads;
  options.max_batch = batch;
  options.class_weights = std::move(class_weights);
  return options;
}

}  // namespace oida::app
