#pragma once
// GpuCard::run, for nvcc: one thread an element.

#include "engine/cuda/cuda_check.hpp"
#include "engine/cuda/gpu_card.hpp"

namespace oida::cuda {

template <typename Kernel>
__global__ void each(Index count, Kernel kernel) {
  const Index index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count) kernel(index);
}

template <typename Kernel>
void GpuCard::run(Index count, const Kernel& kernel) {
  constexpr Index kThreads = 256;
  if (count == 0) return;
  const Index blocks = (count - 1) / kThreads + 1;
  each<<<blocks, kThreads, 0, compute_.get()>>>(count, kernel);
  check(cudaGetLastError(), "kernel");
}

}  // namespace oida::cuda
