#pragma once
// Which cores and which device a rank computes on.

#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "deck.hpp"
#include "engine/engine.hpp"

namespace oida::app {

struct DeviceOptions {
  std::string kind = "auto", engine = "onednn", precision = "fp32", oversubscribe = "warn";
  std::int64_t memory_limit_mb = 0;
  int threads = 0;                   // a rank; 0 = its share of the node's cores
  std::vector<std::string> kernels;  // as in EngineOptions
};
DeviceOptions device_options(const Deck& deck);

struct ComputePlace {
  int threads = 1;
  std::vector<std::vector<int>> cores;  // by rank: what each may run on
  std::string device = "cpu";           // of the job: cpu, gpu or mixed
  int gpu = -1;                         // this rank's, as in gpu_devices(); -1: it has none
  std::vector<std::string> gpu_uuids;   // by rank, empty for those on CPUs; empty where all are
  std::vector<std::string> warnings;

  bool is_on_gpu(std::size_t rank) const { return !gpu_uuids.empty() && !gpu_uuids[rank].empty(); }
};

/// Collective. Threads of this rank: as asked for, or the node's cores shared by its ranks. Binds
/// the process to its own cores where the launcher did not and the ranks' threads fill the node.
/// device.kind = mixed: on every node the first ranks take a GPU each, the others compute on CPUs.
/// InputError (agreed) for a GPU that is not there, and for shared cores or GPUs when
/// device.oversubscribe = refuse.
ComputePlace place_ranks(Comm& comm, const DeviceOptions& device);

/// Collective. The engine itself where those of all units order their parameters alike, else with
/// its parameters in canonical order.
std::unique_ptr<Engine> in_one_order(Comm& comm, std::unique_ptr<Engine> engine);

EngineOptions engine_options(const DeviceOptions& device, const ComputePlace& place, int batch);

}  // namespace oida::app
