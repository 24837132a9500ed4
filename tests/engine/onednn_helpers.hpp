#pragma once
// Shared by the tests of the oneDNN engine: networks, batches and what the reference makes of them.

#include <memory>
#include <string>
#include <vector>

#include "core/aligned.hpp"
#include "engine/engine.hpp"

namespace oida::test {

/// What one step and one prediction of an engine give, in canonical order.
struct Outcome {
  StepResult result;
  std::vector<float> gradient;
  std::vector<float> probabilities;
};

/// Uniform values in [-1, 1) and labels of every kind; the last sample of more than two has no
/// label.
void fill_batch(Batch& batch, int n, int classes, std::uint64_t seed);

Outcome run(Engine& engine, const Batch& batch, const std::vector<float>& canonical);

/// The same patches for an engine with another channel stride.
Batch with_stride(const Batch& batch, const Engine& engine);

/// |a - b| / |b|, Euclidean.
double relative_error(const std::vector<float>& a, const std::vector<float>& b);

std::unique_ptr<Engine> engine_of(const std::string& kind, const Network& network,
                                  EngineOptions options);

}  // namespace oida::test
