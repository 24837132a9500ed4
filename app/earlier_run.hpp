#pragma once
// What the run.json of an earlier run says, for runs that go on from it or replay it.

#include <cstdint>
#include <string>
#include <vector>

#include "oida/interleave.hpp"

namespace oida::app {

/// Restarts of the run that is to begin in this directory: 0 when it is new, else one more than
/// its run.json counts.
std::int64_t restarts_in(const std::string& run_directory);

/// Samples a step by unit that its run.json names; empty when it is new or names none.
std::vector<std::int64_t> batches_in(const std::string& run_directory);

/// InputError naming the key when the file is no run.json that holds it.
InterleavePlan recorded_interleave(const std::string& run_json);
WirePlan recorded_wires(const std::string& run_json);
std::vector<std::string> recorded_kernels(const std::string& run_json);

}  // namespace oida::app
