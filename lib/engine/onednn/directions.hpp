#pragma once
// The three directions of a convolution (transposed or not) or dense layer: one object a kernel, so
// that each direction of each layer can have the one that is fastest.
//
// Weights come in the flat array's layout; activations are [n, h, w, c]; arrays belong to the
// caller. After construction nothing is allocated.

#include <cstdint>
#include <memory>
#include <string>

#include "engine/onednn/stage.hpp"
#include "engine/onednn/weights.hpp"

namespace oida::onednn {

/// One layer with parameters as the planner hands it on.
struct TrainedLayer {
  Layer layer;
  std::string name;     // "conv1", "dense2"
  Shape output;         // before the pool
  bool pooled = false;  // a 2x2 max-pool follows
  bool keeps = false;   // what the pool reads is read by others too
  Parameter weight;
  Parameter bias;
  std::size_t offset = 0;  // where its parameters start in the flat array
  int samples = 0;         // of every batch
  int threads = 1;
  bool first = false;  // nothing before it is trained: no gradient of its input
  bool last = false;   // its output is the logits: float32
};

/// Where a layer's output goes: with `taken` that of its 2x2 max-pool, and which of the four pixels
/// was taken; then `whole`, where it is given, gets the output before the pool.
struct Outputs {
  void* values = nullptr;
  std::uint8_t* taken = nullptr;
  void* whole = nullptr;
};

/// Gradient of a layer's output: with `taken` that of the pooled output, and `held`, where it is
/// given, what is to be added to the gradient of the output before the pool.
struct Slopes {
  const void* values = nullptr;
  const std::uint8_t* taken = nullptr;
  const void* held = nullptr;
};

class Direction {
 public:
  Direction() = default;
  virtual ~Direction() = default;
  Direction(const Direction&) = delete;
  Direction& operator=(const Direction&) = delete;

  /// As in Engine::kernels().
  virtual std::string name() const = 0;
  /// True when it works on the pool's side of a pooled layer.
  virtual bool pools() const { return false; }
  /// Copies and transforms of weights that it holds.
  virtual std::size_t bytes() const { return 0; }
};

/// output = relu(bias + weight * source), the relu where the layer has one.
class Forward : public Direction {
 public:
  virtual void run(const Tensor& source, const float* weight, const float* bias,
                   const Outputs& outputs) = 0;
};

/// Gradients of weight and bias.
class BackwardWeights : public Direction {
 public:
  virtual void run(const Tensor& source, const Slopes& slopes, float* weight, float* bias) = 0;
};

/// Gradient of the source, masked where the source passed a relu; of a joined source that of the
/// first tensor in `result`, the other's in its second_diff.
class BackwardData : public Direction {
 public:
  virtual void run(const Slopes& slopes, const float* weight, const Tensor& source,
                   void* result) = 0;
};

struct Directions {
  dnnl::memory::desc weight_layout;
  std::unique_ptr<Forward> forward;
  std::unique_ptr<BackwardWeights> backward_weights;
  std::unique_ptr<BackwardData> backward_data;  // none for the first layer
};

}  // namespace oida::onednn
