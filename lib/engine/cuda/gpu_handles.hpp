#pragma once
// Owners of what CUDA's C interfaces give out.

#include <memory>

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

namespace oida::cuda {

template <typename Handle, auto kDestroy>
struct Destroy {
  using pointer = Handle;
  void operator()(Handle handle) const { static_cast<void>(kDestroy(handle)); }
};
template <typename Handle, auto kDestroy>
using Owner = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy<Handle, kDestroy>>;

using Stream = Owner<cudaStream_t, cudaStreamDestroy>;
using Event = Owner<cudaEvent_t, cudaEventDestroy>;
using Graph = Owner<cudaGraph_t, cudaGraphDestroy>;
using GraphExec = Owner<cudaGraphExec_t, cudaGraphExecDestroy>;
using CudnnHandle = Owner<cudnnHandle_t, cudnnDestroy>;
using CublasHandle = Owner<cublasHandle_t, cublasDestroy_v2>;

struct FreeDevice {
  void operator()(void* memory) const { static_cast<void>(cudaFree(memory)); }
};
struct FreePinned {
  void operator()(void* memory) const { static_cast<void>(cudaFreeHost(memory)); }
};
using DeviceMemory = std::unique_ptr<void, FreeDevice>;
using PinnedMemory = std::unique_ptr<void, FreePinned>;

}  // namespace oida::cuda
