#pragma once
// The compiled chain with its arrays: forward, backward, and what it says of itself.

#include <vector>

#include "engine/engine.hpp"
#include "engine/onednn/buffer.hpp"
#include "engine/onednn/loss.hpp"
#include "engine/onednn/plan.hpp"

namespace oida::onednn {

/// Floats a pixel of the batch: whole vectors, so that the first layer is like any other.
int padded_channels(const Network& network);

class Chain {
 public:
  Chain(const Network& network, const EngineOptions& options, Element element);

  std::size_t flat_size() const { return plan_.flat_size; }
  void import_parameters(std::span<const float> canonical, float* flat) const;
  void export_parameters(const float* flat, std::span<float> canonical) const;
  std::vector<FlatRange> moments() const;

  /// Always computes all max_batch samples: those beyond batch.n are older samples, whose outputs
  /// nobody reads and whose loss gradient is zero.
  void forward(const Pass& pass);
  StepResult loss(const Pass& pass);
  void backward(const Pass& pass);
  const Tensor& logits() const { return plan_.stages.back()->output(); }

  /// One line a kernel, in the order in which a step runs them; it polls after each.
  std::vector<KernelLine> kernels() const;
  std::vector<MemoryItem> memory() const;

 private:
  void allocate();
  void give_memory(Tensor& output);
  void take_input(const Batch& batch);
  void add_held_to(const Tensor& output, void* diff) const;

  int samples_;
  Library library_;
  Tensor input_;
  Plan plan_;
  SoftmaxLoss loss_;
  Buffer input_copy_;
  std::vector<Buffer> outputs_;
  Buffer diff_, spare_;
  Buffer scratch_;
};

}  // namespace oida::onednn
