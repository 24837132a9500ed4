#pragma once
// The finished model on the test samples.

#include <functional>

#include "comm/comm.hpp"
#include "dataset.hpp"
#include "engine/engine.hpp"
#include "io/run/model_file.hpp"
#include "nn/metrics.hpp"

namespace oida::app {

struct TestResult {
  Confusion confusion;
  std::vector<BlockScore> blocks;  // those with test samples, in the split's order
  double samples_per_s = 0;        // over all ranks, reading included
};

/// Collective. Each rank reads and classifies its part of the test samples, few blocks at a time;
/// `still_alive` is called after each.
TestResult run_test(Comm& comm, const Deck& deck, Dataset& data, Engine& engine,
                    std::span<const float> parameters, const Model& model,
                    const std::function<void()>& still_alive);

}  // namespace oida::app
