#include "engine/cuda/algorithm_line.hpp"

#include <algorithm>
#include <cstdio>

#include "core/error.hpp"

namespace oida::cuda {

std::string algorithm_line(const std::string& direction, const ChosenAlgorithm& chosen) {
  return direction + ": cudnn algorithm " + std::to_string(chosen.algorithm) + ", math " +
         std::to_string(chosen.math);
}

std::optional<ChosenAlgorithm> replayed_algorithm(const std::vector<std::string>& kernels,
                                                  const std::string& direction) {
  if (kernels.empty() || kernels.front() == "table" || kernels.front() == "measure") return {};
  const auto line = std::ranges::find_if(
      kernels, [&](const std::string& text) { return text.starts_with(direction + ": "); });
  ChosenAlgorithm chosen;
  const bool read = line != kernels.end() &&
                    std::sscanf(line->c_str() + direction.size(), ": cudnn algorithm %d, math %d",
                                &chosen.algorithm, &chosen.math) == 2;
  if (!read || *line != algorithm_line(direction, chosen)) {
    throw InputError("kernels", "no line of the cuda engine for " + direction + " to replay");
  }
  return chosen;
}

}  // namespace oida::cuda
