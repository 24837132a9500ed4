#pragma once
// Layers that make images larger or put them side by side.

#include "engine/onednn/buffer.hpp"
#include "engine/onednn/simple_stages.hpp"

namespace oida::onednn {

class UpsampleStage : public SimpleStage {
 public:
  UpsampleStage(const SimpleLayer& layer, const Tensor& input);
  void forward(const Pass& pass) override;
  void* backward(const Pass& pass, void* diff, void* spare) override;
  std::size_t bytes() const override { return sums_.size() * sizeof(float); }

 private:
  std::vector<float> sums_;  // of one input row a sample
};

/// The channels of `with` after those of the input. The gradient of `with` is held until the turn
/// of its own stage, masked where it passed a relu: Tensor::held.
class ConcatStage : public SimpleStage {
 public:
  /// `joined`: its reader takes the two tensors where they are, nothing is copied.
  ConcatStage(const SimpleLayer& layer, const Tensor& input, Tensor& with, bool joined);
  void forward(const Pass& pass) override;
  void* backward(const Pass& pass, void* diff, void* spare) override;
  std::vector<KernelLine> forward_kernels() const override;
  std::vector<KernelLine> backward_kernels() const override;
  std::size_t bytes() const override { return held_.bytes(); }

 private:
  std::string how() const;

  const Tensor& with_;
  Buffer held_;
};

}  // namespace oida::onednn
