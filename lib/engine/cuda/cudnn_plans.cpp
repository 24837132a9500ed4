#include "engine/cuda/cudnn_plans.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "engine/cuda/algorithm_line.hpp"
#include "engine/cuda/cuda_check.hpp"
#include "engine/cuda/cudnn_directions.hpp"

namespace oida::cuda {
namespace {

constexpr float kOne = 1.0F;
constexpr float kZero = 0.0F;

cudnnDataType_t type_of(Element element) {
  return element == Element::bf16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

cudnnMathType_t math_of(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::fp32 ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH;
}

TensorDescriptor tensor(int n, const Image& image, Element element) {
  cudnnTensorDescriptor_t raw = nullptr;
  check(cudnnCreateTensorDescriptor(&raw), "cudnnCreateTensorDescriptor");
  TensorDescriptor descriptor(raw);
  check(cudnnSetTensor4dDescriptor(raw, CUDNN_TENSOR_NHWC, type_of(element), n, image.stride,
                                   image.h, image.w),
        "cudnnSetTensor4dDescriptor");
  return descriptor;
}

FilterDescriptor filter(const Conv& conv) {
  cudnnFilterDescriptor_t raw = nullptr;
  check(cudnnCreateFilterDescriptor(&raw), "cudnnCreateFilterDescriptor");
  FilterDescriptor descriptor(raw);
  check(cudnnSetFilter4dDescriptor(raw, type_of(conv.element), CUDNN_TENSOR_NHWC, conv.out.stride,
                                   conv.in.stride, conv.kernel, conv.kernel),
        "cudnnSetFilter4dDescriptor");
  return descriptor;
}

ConvDescriptor convolution(const Conv& conv, cudnnMathType_t math) {
  cudnnConvolutionDescriptor_t raw = nullptr;
  check(cudnnCreateConvolutionDescriptor(&raw), "cudnnCreateConvolutionDescriptor");
  ConvDescriptor descriptor(raw);
  check(cudnnSetConvolution2dDescriptor(raw, conv.pad, conv.pad, conv.stride, conv.stride, 1, 1,
                                        CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
        "cudnnSetConvolution2dDescriptor");
  check(cudnnSetConvolutionMathType(raw, math), "cudnnSetConvolutionMathType");
  return descriptor;
}

/// The fastest, by cuDNN's tables or by measuring, of those that repeat their bits and fit.
template <typename Direction>
ChosenAlgorithm choose(cudnnHandle_t handle, const ConvTensors& tensors,
                       cudnnConvolutionDescriptor_t conv, const AlgorithmChoice& choice,
                       const std::string& name) {
  std::array<typename Direction::Perf, Direction::kAlgorithms> perf{};
  int found = 0;
  const bool measures = !choice.kernels.empty() && choice.kernels.front() == "measure";
  const auto search = measures ? Direction::measure : Direction::guess;
  check(search(handle, tensors, conv, &found, perf.data()), "algorithms of " + name);
  for (const auto& candidate : std::span(perf).first(static_cast<std::size_t>(found))) {
    const bool fits = candidate.status == CUDNN_STATUS_SUCCESS &&
                      candidate.determinism == CUDNN_DETERMINISTIC &&
                      candidate.memory <= choice.workspace_bytes;
    if (fits) return {static_cast<int>(candidate.algo), static_cast<int>(candidate.mathType)};
  }
  throw Error("cudnn", "no deterministic algorithm for " + name + " within " +
                           std::to_string(choice.workspace_bytes / 1'000'000) + " MB of scratch");
}

template <typename Direction>
ConvDirection direction(cudnnHandle_t handle, const ConvTensors& tensors, const Conv& conv,
                        const AlgorithmChoice& choice) {
  const std::string name = conv.name + " " + Direction::kName;
  const auto replayed = replayed_algorithm(choice.kernels, name);
  ConvDirection way;
  way.descriptor = convolution(conv, math_of(choice.arithmetic));
  const ChosenAlgorithm chosen =
      replayed ? *replayed : choose<Direction>(handle, tensors, way.descriptor.get(), choice, name);
  way.algorithm = chosen.algorithm;
  way.line = algorithm_line(name, chosen);
  check(
      cudnnSetConvolutionMathType(way.descriptor.get(), static_cast<cudnnMathType_t>(chosen.math)),
      "cudnnSetConvolutionMathType");
  check(Direction::workspace(handle, tensors, way.descriptor.get(),
                             static_cast<typename Direction::Algorithm>(chosen.algorithm),
                             &way.workspace_bytes),
        "workspace of " + way.line);
  return way;
}

}  // namespace

ConvPlan::ConvPlan(cudnnHandle_t handle, const Conv& conv, const AlgorithmChoice& choice)
    : in_(tensor(conv.n, conv.in, conv.element)),
      out_(tensor(conv.n, conv.out, conv.element)),
      weight_(filter(conv)),
      needs_d_in_(conv.needs_d_in) {
  const ConvTensors tensors{in_.get(), weight_.get(), out_.get()};
  forward_ = direction<ForwardDirection>(handle, tensors, conv, choice);
  filter_ = direction<WeightDirection>(handle, tensors, conv, choice);
  if (needs_d_in_) data_ = direction<DataDirection>(handle, tensors, conv, choice);
}

std::size_t ConvPlan::workspace_bytes() const {
  return std::max({forward_.workspace_bytes, data_.workspace_bytes, filter_.workspace_bytes});
}

std::vector<std::string> ConvPlan::lines() const {
  std::vector<std::string> lines{forward_.line, filter_.line};
  if (needs_d_in_) lines.push_back(data_.line);
  return lines;
}

void ConvPlan::forward(cudnnHandle_t handle, void* workspace, const void* in, const void* weight,
                       void* out) const {
  check(cudnnConvolutionForward(handle, &kOne, in_.get(), in, weight_.get(), weight,
                                forward_.descriptor.get(),
                                static_cast<cudnnConvolutionFwdAlgo_t>(forward_.algorithm),
                                workspace, forward_.workspace_bytes, &kZero, out_.get(), out),
        forward_.line);
}

void ConvPlan::backward_data(cudnnHandle_t handle, void* workspace, const void* weight,
                             const void* d_out, void* d_in) const {
  check(cudnnConvolutionBackwardData(handle, &kOne, weight_.get(), weight, out_.get(), d_out,
                                     data_.descriptor.get(),
                                     static_cast<cudnnConvolutionBwdDataAlgo_t>(data_.algorithm),
                                     workspace, data_.workspace_bytes, &kZero, in_.get(), d_in),
        data_.line);
}

void ConvPlan::backward_weight(cudnnHandle_t handle, void* workspace, const void* in,
                               const void* d_out, void* d_weight) const {
  check(cudnnConvolutionBackwardFilter(
            handle, &kOne, in_.get(), in, out_.get(), d_out, filter_.descriptor.get(),
            static_cast<cudnnConvolutionBwdFilterAlgo_t>(filter_.algorithm), workspace,
            filter_.workspace_bytes, &kZero, weight_.get(), d_weight),
        filter_.line);
}

AveragePoolPlan::AveragePoolPlan(const Pool& pool, int n, Element element)
    : in_(tensor(n, pool.in, element)), out_(tensor(n, pool.out, element)) {
  cudnnPoolingDescriptor_t raw = nullptr;
  check(cudnnCreatePoolingDescriptor(&raw), "cudnnCreatePoolingDescriptor");
  pool_.reset(raw);
  const auto kernel = static_cast<int>(pool.kernel);
  const auto stride = static_cast<int>(pool.stride);
  check(cudnnSetPooling2dDescriptor(raw, CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
                                    CUDNN_PROPAGATE_NAN, kernel, kernel, 0, 0, stride, stride),
        "cudnnSetPooling2dDescriptor");
}

void AveragePoolPlan::forward(cudnnHandle_t handle, const void* in, void* out) const {
  check(cudnnPoolingForward(handle, pool_.get(), &kOne, in_.get(), in, &kZero, out_.get(), out),
        "cudnnPoolingForward");
}

void AveragePoolPlan::backward(cudnnHandle_t handle, const void* out, const void* d_out,
                               const void* in, void* d_in) const {
  check(cudnnPoolingBackward(handle, pool_.get(), &kOne, out_.get(), out, out_.get(), d_out,
                             in_.get(), in, &kZero, in_.get(), d_in),
        "cudnnPoolingBackward");
}

}  // namespace oida::cuda
