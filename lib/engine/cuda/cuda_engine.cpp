// Loads the engine.

#include "engine/cuda/cuda_engine.hpp"

#include <dlfcn.h>

#include "core/error.hpp"
#include "engine/cuda/gpu_module.hpp"
#include "engine/cuda/memory_plan.hpp"

namespace oida {
namespace {

/// Stays loaded until the process ends. Found beside the executable, or by LD_LIBRARY_PATH.
const cuda::GpuModule& gpu_module() {
  void* library = dlopen("liboida_cuda.so", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw InputError("device.engine", std::string("cuda: ") + dlerror());
  const void* symbol = dlsym(library, "oida_gpu_module");
  if (symbol == nullptr) throw InputError("device.engine", std::string("cuda: ") + dlerror());
  return *static_cast<const cuda::GpuModule*>(symbol);
}

}  // namespace

bool has_cuda_engine() {
  return true;
}

std::string cuda_libraries() {
  return gpu_module().libraries();
}

std::unique_ptr<Engine> make_cuda_engine(const Network& network, const EngineOptions& options) {
  const std::size_t gpus = gpu_devices().size();
  if (options.device < 0 || static_cast<std::size_t>(options.device) >= gpus) {
    throw InputError("device.engine", "cuda: GPU " + std::to_string(options.device) + " of " +
                                          std::to_string(gpus) + " visible ones");
  }
  cuda::check_memory(network, options);
  return gpu_module().make(network, options);
}

}  // namespace oida
