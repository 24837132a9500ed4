#pragma once
// The exchange rules on N virtual units in one thread, in plain code: the oracle.

#include <vector>

#include "oida/problem.hpp"

namespace oida::test {

/// Live parameters of each unit after `rounds` rounds of x_i <- x_i + (m - s_i), where m is the
/// mean of what the units sent when the round began and `interleave` optimizer steps lie between.
std::vector<std::vector<float>> simulate_delayed_mean(const Problem& problem, int units, int batch,
                                                      int rounds, int interleave, float rate);

/// One unit's parameters after `steps` optimizer steps on the mean gradient of all units' batches.
std::vector<float> simulate_gradient_mean(const Problem& problem, int units, int batch, int steps,
                                          float rate);

}  // namespace oida::test
