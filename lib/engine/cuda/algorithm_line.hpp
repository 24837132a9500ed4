#pragma once
// How a choice of cuDNN's algorithm is written into run.json and read again.

#include <optional>
#include <string>
#include <vector>

namespace oida::cuda {

/// Numbers of cuDNN's enums.
struct ChosenAlgorithm {
  int algorithm = 0;
  int math = 0;

  bool operator==(const ChosenAlgorithm&) const = default;
};

/// "conv1 forward: cudnn algorithm 1, math 0"; `direction` is "conv1 forward".
std::string algorithm_line(const std::string& direction, const ChosenAlgorithm& chosen);

/// Nothing where `kernels` asks for a choice ({}, {"table"} or {"measure"}). InputError where it
/// replays lines of another program or lacks the direction.
std::optional<ChosenAlgorithm> replayed_algorithm(const std::vector<std::string>& kernels,
                                                  const std::string& direction);

}  // namespace oida::cuda
