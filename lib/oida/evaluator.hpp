#pragma once
// Class probabilities, loss and hits of given parameters on given samples.

#include <functional>
#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "data/sampler.hpp"
#include "engine/engine.hpp"

namespace oida {

/// Sums over samples (of tiles: their labelled pixels); loss is the plain cross-entropy, without
/// class weights.
struct LossSum {
  double loss = 0;
  double correct = 0;
  std::size_t samples = 0;
};

/// The most probable class.
int best_class(std::span<const float> probabilities);

class Evaluator {
 public:
  /// Gets the index in `samples` and the class probabilities.
  using OnSample = std::function<void(std::size_t, std::span<const float>)>;

  /// Kept by reference. With `labels` the samples are tiles.
  Evaluator(Engine& engine, const PatchStore& store, const TileLabels* labels = nullptr);

  /// One batch: samples[first ...), at most the engine's max_batch; adds to `sum`, returns how
  /// many. `on_sample` (may be empty) is for samples that are no tiles.
  std::size_t add_batch(std::span<const float> parameters, std::span<const Sample> samples,
                        std::size_t first, LossSum& sum, const OnSample& on_sample = {});
  std::size_t batches(std::size_t samples) const;

 private:
  /// Adds the rows of probabilities whose label counts.
  void add_rows(std::size_t rows, LossSum& sum) const;

  Engine& engine_;
  const PatchStore& store_;
  const TileLabels* labels_;
  Batch batch_;
  std::vector<float> probabilities_;
};

}  // namespace oida
