#pragma once
// Layers on complex tensors, whose pixels hold all real parts, then all imaginary parts.

#include "engine/onednn/arrays_stage.hpp"

namespace oida::onednn {

/// From real channels and pairs to all real parts, then all imaginary parts.
class ComplexStage : public SimpleStage {
 public:
  ComplexStage(const SimpleLayer& layer, const Tensor& input);
  void forward(const Pass& pass) override;
  void* backward(const Pass& pass, void* diff, void* spare) override;

 private:
  std::vector<int> source_;  // channel of each output channel; -1: none
};

/// The longest number of each window, the first in row order of equal ones.
class ComplexPoolStage : public SimpleStage {
 public:
  using SimpleStage::SimpleStage;
  void forward(const Pass& pass) override;
  void* backward(const Pass& pass, void* diff, void* spare) override;
};

/// out = max(|in| + bias, 0) in / |in|; 0 where in is.
class ModReluStage : public ArraysStage {
 public:
  ModReluStage(const SimpleLayer& layer, const Tensor& input, ParameterArrays arrays);
  void forward(const Pass& pass) override;
  void* backward(const Pass& pass, void* diff, void* spare) override;
  std::size_t bytes() const override { return sums_.size() * sizeof(double); }

 private:
  std::vector<double> sums_;  // [samples, channels / 2]: of the bias's gradient
};

/// out = |in|.
class MagnitudeStage : public SimpleStage {
 public:
  MagnitudeStage(const SimpleLayer& layer, const Tensor& input);
  void forward(const Pass& pass) override;
  void* backward(const Pass& pass, void* diff, void* spare) override;
};

}  // namespace oida::onednn
