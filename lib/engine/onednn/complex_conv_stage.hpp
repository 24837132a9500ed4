#pragma once
// A complex convolution as the real one that it is: with weights A + iB, inputs u + iv and outputs
// A u - B v, B u + A v.

#include "engine/onednn/arrays_stage.hpp"
#include "engine/onednn/buffer.hpp"
#include "engine/onednn/directions.hpp"

namespace oida::onednn {

/// The real convolution of a complex one: twice the channels on both sides.
Layer real_layer(const Layer& layer);

/// The real convolution runs in `directions` like any other; its weight is made from the two parts
/// before each of them that reads it, and their gradient from its.
class ComplexConvStage : public ArraysStage {
 public:
  /// Layout of the real weight that `directions` must keep: [k, k, in, out] in float32, `in` the
  /// floats a pixel of `input`.
  static dnnl::memory::desc weight_layout(const Layer& real, const Tensor& input);

  /// `layer.layer` is the complex convolution.
  ComplexConvStage(const SimpleLayer& layer, const Tensor& input, ParameterArrays arrays,
                   Directions directions);

  void forward(const Pass& pass) override;
  void* backward(const Pass& pass, void* diff, void* spare) override;
  std::vector<KernelLine> forward_kernels() const override;
  std::vector<KernelLine> backward_kernels() const override;
  std::size_t bytes() const override;

 private:
  template <typename Visit>
  void each_weight(const Visit& visit) const;
  void expand(const float* parts);
  void fold(float* parts) const;
  float* real() const { return static_cast<float*>(real_.data()); }

  Directions directions_;
  std::size_t taps_, in_, out_;  // of the complex convolution
  Buffer real_;                  // weight of the real convolution, on the way back its gradient
};

}  // namespace oida::onednn
