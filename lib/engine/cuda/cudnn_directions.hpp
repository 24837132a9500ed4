#pragma once
// The three directions of a convolution, whose functions in cuDNN differ in names and in the order
// of their descriptors only.

#include <cudnn.h>

namespace oida::cuda {

struct ConvTensors {
  cudnnTensorDescriptor_t in;
  cudnnFilterDescriptor_t weight;
  cudnnTensorDescriptor_t out;
};

struct ForwardDirection {
  using Perf = cudnnConvolutionFwdAlgoPerf_t;
  using Algorithm = cudnnConvolutionFwdAlgo_t;
  static constexpr int kAlgorithms = CUDNN_CONVOLUTION_FWD_ALGO_COUNT;
  static constexpr const char* kName = "forward";

  static cudnnStatus_t guess(cudnnHandle_t handle, const ConvTensors& t,
                             cudnnConvolutionDescriptor_t conv, int* found, Perf* perf) {
    return cudnnGetConvolutionForwardAlgorithm_v7(handle, t.in, t.weight, conv, t.out, kAlgorithms,
                                                  found, perf);
  }
  static cudnnStatus_t measure(cudnnHandle_t handle, const ConvTensors& t,
                               cudnnConvolutionDescriptor_t conv, int* found, Perf* perf) {
    return cudnnFindConvolutionForwardAlgorithm(handle, t.in, t.weight, conv, t.out, kAlgorithms,
                                                found, perf);
  }
  static cudnnStatus_t workspace(cudnnHandle_t handle, const ConvTensors& t,
                                 cudnnConvolutionDescriptor_t conv, Algorithm algorithm,
                                 std::size_t* bytes) {
    return cudnnGetConvolutionForwardWorkspaceSize(handle, t.in, t.weight, conv, t.out, algorithm,
                                                   bytes);
  }
};

struct DataDirection {
  using Perf = cudnnConvolutionBwdDataAlgoPerf_t;
  using Algorithm = cudnnConvolutionBwdDataAlgo_t;
  static constexpr int kAlgorithms = CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT;
  static constexpr const char* kName = "backward data";

  static cudnnStatus_t guess(cudnnHandle_t handle, const ConvTensors& t,
                             cudnnConvolutionDescriptor_t conv, int* found, Perf* perf) {
    return cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, t.weight, t.out, conv, t.in,
                                                       kAlgorithms, found, perf);
  }
  static cudnnStatus_t measure(cudnnHandle_t handle, const ConvTensors& t,
                               cudnnConvolutionDescriptor_t conv, int* found, Perf* perf) {
    return cudnnFindConvolutionBackwardDataAlgorithm(handle, t.weight, t.out, conv, t.in,
                                                     kAlgorithms, found, perf);
  }
  static cudnnStatus_t workspace(cudnnHandle_t handle, const ConvTensors& t,
                                 cudnnConvolutionDescriptor_t conv, Algorithm algorithm,
                                 std::size_t* bytes) {
    return cudnnGetConvolutionBackwardDataWorkspaceSize(handle, t.weight, t.out, conv, t.in,
                                                        algorithm, bytes);
  }
};

struct WeightDirection {
  using Perf = cudnnConvolutionBwdFilterAlgoPerf_t;
  using Algorithm = cudnnConvolutionBwdFilterAlgo_t;
  static constexpr int kAlgorithms = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT;
  static constexpr const char* kName = "backward weights";

  static cudnnStatus_t guess(cudnnHandle_t handle, const ConvTensors& t,
                             cudnnConvolutionDescriptor_t conv, int* found, Perf* perf) {
    return cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, t.in, t.out, conv, t.weight,
                                                         kAlgorithms, found, perf);
  }
  static cudnnStatus_t measure(cudnnHandle_t handle, const ConvTensors& t,
                               cudnnConvolutionDescriptor_t conv, int* found, Perf* perf) {
    return cudnnFindConvolutionBackwardFilterAlgorithm(handle, t.in, t.out, conv, t.weight,
                                                       kAlgorithms, found, perf);
  }
  static cudnnStatus_t workspace(cudnnHandle_t handle, const ConvTensors& t,
                                 cudnnConvolutionDescriptor_t conv, Algorithm algorithm,
                                 std::size_t* bytes) {
    return cudnnGetConvolutionBackwardFilterWorkspaceSize(handle, t.in, t.out, conv, t.weight,
                                                          algorithm, bytes);
  }
};

}  // namespace oida::cuda
