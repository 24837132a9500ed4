#pragma once
// Optimizers on one flat array, one pass, state owned here.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/aligned.hpp"

namespace oida {

struct OptimizerOptions {
  enum class Kind { sgd, adagrad_window };
  Kind kind = Kind::sgd;
  float momentum = 0.9F;      // sgd
  float weight_decay = 0.0F;  // added to the gradient: g + weight_decay x
  int window = 100;           // adagrad_window: W steps
  float epsilon = 1e-6F;      // adagrad_window
  int threads = 1;            // OpenMP threads of a large update
};

OptimizerOptions::Kind optimizer_kind(const std::string& name);

/// sgd:             v <- momentum v + g;   x <- x - rate v
/// adagrad_window:  AdaGrad (Duchi, Hazan, Singer, JMLR 12 (2011) 2121) that forgets: squares are
///                  summed in windows of W steps; a <- a + g^2; x <- x - rate g / (sqrt(a + b) +
///                  eps) where b holds the sum of the window before; after each W steps b <- a, a
///                  <- 0. This is this project's reading of the group's AdaRW, whose formula is not
///                  public.
class Optimizer {
 public:
  Optimizer(OptimizerOptions options, std::size_t size);

  /// All spans have the size given at construction. `step` counts from 0 over the whole run.
  void update(std::span<float> x, std::span<const float> gradient, float rate, std::uint64_t step);
  void reset();

  /// State arrays in the engine's flat order: sgd v; adagrad_window a, b.
  std::size_t slots() const { return slots_.size(); }
  std::span<float> slot(std::size_t i) { return slots_[i]; }

 private:
  OptimizerOptions options_;
  std::vector<AlignedVector<float>> slots_;
};

}  // namespace oida
