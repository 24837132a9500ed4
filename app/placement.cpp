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

void refuse_missing_device(const DeviceOptions& device) {
  if (device.kind != "gpu") return;
  if (gpu_devices().empty()) {
    throw InputError("device.kind",
                     "gpu: no GPU is visible to this process (CUDA " + cuda_version() + ")");
  }
  throw InputError("device.kind", "gpu: this version trains on CPUs only");
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
  options.kernels = kernel_choice(deck);
  return options;
}

namespace {

ComputePlace place_this_rank(const Comm& comm, const DeviceOptions& device,
                             std::vector<int>& own_cores) {
  refuse_missing_device(device);
  const auto& own = comm.placement()[static_cast<std::size_t>(comm.rank())];
  const auto cores = node_cores(comm);
  const int available = static_cast<int>(cores.size());
  ComputePlace place;
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

}  // namespace

ComputePlace place_ranks(Comm& comm, const DeviceOptions& device) {
  std::vector<int> own_cores;
  auto place = collectively(comm, [&] { return place_this_rank(comm, device, own_cores); });
  std::ostringstream text;
  for (const int core : own_cores) text << core << ' ';
  for (const auto& list : comm.all_gather(text.str())) {
    std::istringstream cores(list);
    place.cores.emplace_back(std::istream_iterator<int>(cores), std::istream_iterator<int>());
  }
  return place;
}

EngineOptions engine_options(const DeviceOptions& device, const ComputePlace& place, int batch,
                             std::vector<float> class_weights) {
  EngineOptions options;
  options.kind = device.engine;
  options.precision = device.precision;
  options.threads = place.threads;
  options.kernels = device.kernels;
  options.max_batch = batch;
  options.class_weights = std::move(class_weights);
  return options;
}

}  // namespace oida::app
