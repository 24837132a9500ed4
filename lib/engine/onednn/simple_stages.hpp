#pragma once
// Layers that this engine computes itself: pools, relu, dropout, and what others share with them.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/onednn/stage.hpp"

namespace oida::onednn {

/// Such a layer as the planner hands it on.
struct SimpleLayer {
  Layer layer;
  std::string name;  // "max_pool1"
  Shape output;
  int index = 0;       // in the network
  int samples = 0;     // of every batch
  bool first = false;  // nothing before it is trained: no gradient of its input
};

class SimpleStage : public Stage {
 public:
  SimpleStage(const SimpleLayer& layer, const Tensor& input);

  std::vector<KernelLine> forward_kernels() const override;
  std::vector<KernelLine> backward_kernels() const override;

 protected:
  SimpleLayer layer_;
};

/// The maximum of what passed a relu is positive where its gradient may flow: no mask of its own.
class MaxPoolStage : public SimpleStage {
 public:
  MaxPoolStage(const SimpleLayer& layer, const Tensor& input);
  void forward(const Pass& pass) override;
  void* backward(const Pass& pass, void* diff, void* spare) override;
};

class AveragePoolStage : public SimpleStage {
 public:
  using SimpleStage::SimpleStage;
  void forward(const Pass& pass) override;
  void* backward(const Pass& pass, void* diff, void* spare) override;
};

/// Its way back is the next stage's mask.
class ReluStage : public SimpleStage {
 public:
  ReluStage(const SimpleLayer& layer, const Tensor& input);
  void forward(const Pass& pass) override;
  void* backward(const Pass& pass, void* diff, void* spare) override;
};

/// The masks are drawn in c, h, w order, as every engine draws them.
class DropoutStage : public SimpleStage {
 public:
  DropoutStage(const SimpleLayer& layer, const Tensor& input);
  void forward(const Pass& pass) override;
  void* backward(const Pass& pass, void* diff, void* spare) override;
  std::size_t bytes() const override { return keep_.size(); }

 private:
  std::span<std::uint8_t> keep_of(int n);

  std::vector<std::uint8_t> keep_;  // [samples, c, h, w]
};

}  // namespace oida::onednn
