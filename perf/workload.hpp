#pragma once
// The workloads of the benchmarks here, and how their times are summed up.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/aligned.hpp"
#include "engine/engine.hpp"
#include "nn/optimizer.hpp"

namespace oida::perf {

inline constexpr int kBatch = 64;
inline constexpr int kPatchPx = 32;
inline constexpr int kChannels = 9;
inline constexpr int kClasses = 8;

/// `oceanlike` at 9 x 32 x 32 and 8 classes: 931,048 parameters, 185.2 MFLOP a training step and
/// sample.
Network reference_network();

/// `unet_plain` at 9 x 256 x 256 and 8 classes, for batches of kTiles: levels of 32, 64 and 128
/// channels, 468,488 parameters, all pixels labelled.
inline constexpr int kTiles = 4;
inline constexpr int kTilePx = 256;
Network unet_network();

/// An engine in training on one random batch; SGD with momentum 0.9.
class Trainer {
 public:
  Trainer(const std::string& precision, int threads);
  /// Batches of options.max_batch.
  explicit Trainer(const EngineOptions& options, const Network& network = reference_network());

  const Engine& engine() const { return *engine_; }
  /// One step and its update; `between` is called after each kernel.
  void step(const std::function<void()>& between = {});

 private:
  std::unique_ptr<Engine> engine_;
  Batch batch_;
  AlignedVector<float> parameters_;
  AlignedVector<float> gradient_;
  Optimizer optimizer_;
  std::uint64_t steps_ = 0;
};

/// Of an odd or even number of values; they are sorted.
double median(std::vector<double> values);

}  // namespace oida::perf
