#pragma once
// From run directories to the model: what a unit's work is, what real runs took.

#include <string>
#include <vector>

#include "nn/network.hpp"
#include "scaling/model.hpp"

namespace oida::perf {

/// A run as its timing.json tells it; times of the mean rank.
struct Measured {
  std::string name;
  bool waits_each_step = false;
  int nodes = 1, interleave = 1;
  double batch = 0;  // of a unit
  double steps = 0, exchanges = 0, bytes_per_exchange = 0;
  double train_s = 0, compute_s = 0, other_s = 0, idle_share = 0;
  double least_exposed_s = 0;      // of a rank: what posting and polling cost
  double median_s = 0, p95_s = 0;  // of a step
  double step_s() const { return train_s / steps; }
};

/// Error naming what it lacks.
Measured read_measured(const std::string& run);

/// What a step of a network is made of, measured here and now on one thread.
struct StepProfile {
  int polls = 1;
  /// From the end of the gradient: elements [first, size) are final at this share of the step.
  struct Ready {
    std::size_t first;
    double share;
  };
  std::vector<Ready> ready;
  std::size_t floats = 0;
};
StepProfile profile_step(const Network& network, int batch);

/// `alone`: one unit. `pair`: two nodes with an exchange that hides. `small`: two nodes and a
/// network so small that a unit sends two messages an exchange and receives two.
/// The step is that of the unit alone.
Work work_of(const StepProfile& profile, const Measured& alone, const Measured& pair,
             const Measured& small);

/// As lib/oida/delayed_mean and lib/oida/gradient_mean do it.
Loop oida_loop(const StepProfile& profile, int interleave);
/// A run of oida of so many steps ends with a mean that nothing hides.
Prediction with_final_mean(const Prediction& rounds, double steps, const Cluster& cluster,
                           const Work& work, const StepProfile& profile);
Loop allreduce_loop(const StepProfile& profile);

}  // namespace oida::perf
