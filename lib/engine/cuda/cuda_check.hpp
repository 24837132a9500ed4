#pragma once
// Return codes of CUDA and its libraries as Errors that name the call.

#include <string>

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include "core/error.hpp"

namespace oida::cuda {

inline void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) throw Error("cuda", std::string(call) + ": " + cudaGetErrorString(code));
}

inline void check(cudnnStatus_t code, const std::string& call) {
  if (code != CUDNN_STATUS_SUCCESS) throw Error("cudnn", call + ": " + cudnnGetErrorString(code));
}

inline void check(cublasStatus_t code, const char* call) {
  if (code != CUBLAS_STATUS_SUCCESS) {
    throw Error("cublas", std::string(call) + ": " + cublasGetStatusString(code));
  }
}

}  // namespace oida::cuda
