#pragma once
// The exchange rules on N virtual units in one thread, in plain code of their own: the oracle.

#include <functional>
#include <vector>

#include "comm/exchange.hpp"
#include "oida/problem.hpp"

namespace oida::test {

struct Simulation {
  int units = 1, batch = 12, rounds = 50, interleave = 1;
  float rate = 0.02F;
  /// Between units, each a node of its own; differences to the last mean travel where it is lossy.
  Wire wire = Wire::fp32;
  bool momentum = false;  // exchanged, too
};

using Arrays = std::vector<std::vector<float>>;  // one a unit

/// The weights of a round's mean from the losses that the units' parameters of the round before had
/// on all validation samples of the problem. The first round, and all without it, are the mean.
using Weigh = std::function<std::vector<double>(const std::vector<double>& losses)>;
std::vector<double> softmax_of_negative(const std::vector<double>& losses);
std::vector<double> lowest_alone(const std::vector<double>& losses);

/// Live parameters of each unit after rounds of x_i <- x_i + (m - s_i), where m is the weighted
/// mean of what the units sent when the round began and `interleave` optimizer steps lie between;
/// of velocities v_i <- v_i + 0.9^interleave (n - u_i) where momentum is exchanged.
Arrays simulate_delayed_mean(const Problem& problem, const Simulation& options,
                             const Weigh& weigh = {});

/// One unit's parameters after `rounds` optimizer steps on the mean gradient of all units' batches.
std::vector<float> simulate_gradient_mean(const Problem& problem, const Simulation& options);

/// The parameters after rounds of `interleave` steps of each unit alone and a mean of all.
std::vector<float> simulate_local_mean(const Problem& problem, const Simulation& options);

struct ServerRun {
  std::vector<float> parameters;  // the server's
  std::int64_t furthest = 0;      // that a unit was ahead of the slowest when it began a gradient
  bool in_turn = true;            // no unit brought a gradient while it had to wait
};

/// A server that applies the gradients of `arrivals` (units, one a gradient) in their order, each
/// at the rate divided by the number of units, and then answers those who are at most `bound`
/// gradients ahead of the slowest. After every `settle_every`-th gradient of all units, 0 = never,
/// everybody begins with the server's parameters.
ServerRun simulate_server(const Problem& problem, const Simulation& options,
                          const std::vector<int>& arrivals, int bound, int settle_every = 0);

}  // namespace oida::test
