// The engine's template on the GPU: the only translation unit with kernels.

#include "engine/cuda/card_engine.hpp"
#include "engine/cuda/cuda_engine.hpp"
#include "engine/cuda/gpu_run.cuh"
#include "engine/cuda/memory_plan.hpp"

namespace oida {

bool has_cuda_engine() {
  return true;
}

std::unique_ptr<Engine> make_cuda_engine(const Network& network, const EngineOptions& options) {
  const std::size_t gpus = gpu_devices().size();
  if (options.device < 0 || static_cast<std::size_t>(options.device) >= gpus) {
    throw InputError("device.engine", "cuda: GPU " + std::to_string(options.device) + " of " +
                                          std::to_string(gpus) + " visible ones");
  }
  cuda::check_memory(network, options);
  return cuda::make_card_engine(network, options, std::make_unique<cuda::GpuCard>(options));
}

}  // namespace oida
