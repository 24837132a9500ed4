#pragma once
// One convolution, one average-pool as cuDNN does them: activations and weights pixel by pixel.

#include <string>
#include <vector>

#include <cudnn.h>

#include "engine/cuda/card.hpp"
#include "engine/cuda/gpu_handles.hpp"

namespace oida::cuda {

using TensorDescriptor = Owner<cudnnTensorDescriptor_t, cudnnDestroyTensorDescriptor>;
using FilterDescriptor = Owner<cudnnFilterDescriptor_t, cudnnDestroyFilterDescriptor>;
using ConvDescriptor = Owner<cudnnConvolutionDescriptor_t, cudnnDestroyConvolutionDescriptor>;
using PoolDescriptor = Owner<cudnnPoolingDescriptor_t, cudnnDestroyPoolingDescriptor>;

/// How algorithms are found: as EngineOptions::kernels says, within a limit of scratch.
struct AlgorithmChoice {
  std::vector<std::string> kernels;
  std::size_t workspace_bytes = 0;
  Arithmetic arithmetic = Arithmetic::fp32;
};

/// One direction's algorithm (its number in cudnn's enum), its descriptor and its scratch.
struct ConvDirection {
  int algorithm = 0;
  ConvDescriptor descriptor;
  std::size_t workspace_bytes = 0;
  std::string line;
};

/// Only deterministic algorithms are taken.
class ConvPlan {
 public:
  ConvPlan(cudnnHandle_t handle, const Conv& conv, const AlgorithmChoice& choice);

  std::size_t workspace_bytes() const;
  std::vector<std::string> lines() const;

  void forward(cudnnHandle_t handle, void* workspace, const void* in, const void* weight,
               void* out) const;
  void backward_data(cudnnHandle_t handle, void* workspace, const void* weight, const void* d_out,
                     void* d_in) const;
  void backward_weight(cudnnHandle_t handle, void* workspace, const void* in, const void* d_out,
                       void* d_weight) const;

 private:
  TensorDescriptor in_, out_;
  FilterDescriptor weight_;
  ConvDirection forward_, data_, filter_;
  bool needs_d_in_;
};

class AveragePoolPlan {
 public:
  AveragePoolPlan(const Pool& pool, int n, Element element);

  void forward(cudnnHandle_t handle, const void* in, void* out) const;
  void backward(cudnnHandle_t handle, const void* out, const void* d_out, const void* in,
                void* d_in) const;

 private:
  TensorDescriptor in_, out_;
  PoolDescriptor pool_;
};

}  // namespace oida::cuda
