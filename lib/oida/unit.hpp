#pragma once
// One computing unit: its engine, its shard, its optimizer and its live parameters.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "data/sampler.hpp"
#include "engine/engine.hpp"
#include "nn/optimizer.hpp"
#include "oida/records.hpp"

namespace oida {

/// Parameters x, gradient and optimizer state live in the engine's flat order.
class Unit {
 public:
  /// The parts are kept by reference and outlive the unit; it computes with the engine's threads.
  Unit(Engine& engine, Sampler& sampler, const PatchStore& store,
       const OptimizerOptions& optimizer);

  /// Makes the batch of `step` and computes the gradient at x; `poll` as in Engine::step.
  StepResult gradient(std::uint64_t step, const Poll& poll);
  /// x <- optimizer(x, gradient); running moments as Engine::moments() says.
  void update(std::uint64_t step, float rate);
  /// The same for parameters that are kept apart, along a gradient that counts `share`: the rate
  /// and the movement of running moments are multiplied by it.
  void update(std::span<float> x, std::span<const float> gradient, std::uint64_t step, float rate,
              float share);

  /// gradient() and update() in one, where the engine keeps the parameters if it can.
  /// A resident engine's next batch is made while it computes.
  StepResult train(std::uint64_t step, float rate, const Poll& poll);

  /// What is handed out may be changed: it is taken over by the next step.
  std::span<float> x() {
    bring_home();
    return x_;
  }
  std::span<float> gradient_span() { return gradient_; }
  Optimizer& optimizer() {
    bring_home();
    return optimizer_;
  }
  Engine& engine() { return engine_; }
  PhaseClock& clock() { return clock_; }
  int batch() const { return batch_.n; }
  /// Whether the engine has the newest parameters and x() would have to bring them.
  bool is_away() const { return away_; }
  /// Where the engine keeps the parameters, with x there; null where it does not.
  ResidentTraining* resident();

 private:
  void bring_home();
  StepResult train_resident(std::uint64_t step, float rate, const Poll& poll);
  const Batch& prepared(std::uint64_t step);

  Engine& engine_;
  Sampler& sampler_;
  const PatchStore& store_;
  Optimizer optimizer_;
  std::vector<Batch> ahead_;  // resident: of this step and of the next one, outlive it
  std::vector<std::uint64_t> ahead_steps_;
  std::unique_ptr<ResidentTraining> resident_;
  bool away_ = false;  // x_ and optimizer_ are older than what the engine keeps
  AlignedVector<float> x_, gradient_;
  std::vector<FlatRange> moments_;
  std::vector<float> kept_;  // the values of moments_ before an update
  Batch batch_;
  PhaseClock clock_;
};

}  // namespace oida
