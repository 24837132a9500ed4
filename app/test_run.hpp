#pragma once
// The finished model on the test samples.

#include <functional>

#include "comm/comm.hpp"
#include "dataset.hpp"
#include "engine/engine.hpp"
#include "nn/metrics.hpp"
#include "polsar/normaliser.hpp"

namespace oida::app {

struct TestResult {
  Confusion confusion;
  double samples_per_s = 0;  // over all ranks, reading included
};

/// Collective. Each rank reads and classifies its part of the test samples, few blocks at a time;
/// `still_alive` is called after each.
TestResult run_test(Comm& comm, const Deck& deck, Dataset& data, Engine& engine,
                    std::span<const float> parameters, const Normaliser& normaliser,
                    const std::function<void()>& still_alive);

}  // namespace oida::app
