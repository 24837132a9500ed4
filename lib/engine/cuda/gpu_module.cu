// What is loaded when a GPU is to be used: the engine's template on it, and all its kernels.

#include "engine/cuda/card_engine.hpp"
#include "engine/cuda/gpu_module.hpp"
#include "engine/cuda/gpu_run.cuh"

namespace oida::cuda {
namespace {

std::unique_ptr<Engine> make(const Network& network, const EngineOptions& options) {
  return make_card_engine(network, options, std::make_unique<GpuCard>(options));
}

std::string libraries() {
  int major = 0;
  int minor = 0;
  check(cublasGetProperty(MAJOR_VERSION, &major), "cublasGetProperty");
  check(cublasGetProperty(MINOR_VERSION, &minor), "cublasGetProperty");
  const std::size_t cudnn = cudnnGetVersion();
  return "cuBLAS " + std::to_string(major) + "." + std::to_string(minor) + ", cuDNN " +
         std::to_string(cudnn / 10000) + "." + std::to_string(cudnn % 10000 / 100);
}

}  // namespace
}  // namespace oida::cuda

extern "C" const oida::cuda::GpuModule oida_gpu_module{oida::cuda::make, oida::cuda::libraries};
