#pragma once
// Class probabilities, loss and hits of given parameters on given samples.

#include <functional>
#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "data/sampler.hpp"
#include "engine/engine.hpp"

namespace oida {

/// Sums over samples; loss is the plain cross-entropy, without class weights.
struct LossSum {
  double loss = 0;
  double correct = 0;
  std::size_t samples = 0;
};

class Evaluator {
 public:
  /// Kept by reference.
  Evaluator(Engine& engine, const PatchStore& store);

  /// One batch: samples[first ...), at most the engine's max_batch; adds to `sum`, returns how
  /// many. `on_sample` (may be empty) gets the index in `samples` and the most probable class.
  std::size_t add_batch(std::span<const float> parameters, std::span<const Sample> samples,
                        std::size_t first, LossSum& sum,
                        const std::function<void(std::size_t, int)>& on_sample = {});
  std::size_t batches(std::size_t samples) const;

 private:
  Engine& engine_;
  const PatchStore& store_;
  Batch batch_;
  std::vector<float> probabilities_;
};

}  // namespace oida
