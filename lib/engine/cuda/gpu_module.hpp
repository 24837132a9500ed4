#pragma once
// The door between the executable and liboida_cuda.so, which is loaded when a GPU is to be used: so
// the executable starts, and stays small, where cuDNN and cuBLAS are not.

#include <memory>
#include <string>

#include "engine/engine.hpp"

namespace oida::cuda {

struct GpuModule {
  std::unique_ptr<Engine> (*make)(const Network& network, const EngineOptions& options);
  std::string (*libraries)();
};

}  // namespace oida::cuda

/// The module's only symbol.
extern "C" const oida::cuda::GpuModule oida_gpu_module;
