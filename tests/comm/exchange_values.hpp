#pragma once
// What ranks bring to a sum in tests, and the plain serial sum.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/comm.hpp"
#include "mpi_world.hpp"

namespace oida::testing {

/// What rank `rank` brings: values of very different size, so that each order of addition rounds
/// differently.
inline std::vector<float> brought(int rank, std::size_t size, std::uint32_t step) {
  std::vector<float> values(size);
  std::uint32_t state = 7 + 1'000'003 * static_cast<std::uint32_t>(rank) + 7919 * step;
  for (float& value : values) {
    state = state * 1664525 + 1013904223;
    const float mantissa = static_cast<float>(state >> 8) * 0x1p-24F - 0.5F;
    value = mantissa * static_cast<float>(1U << (state >> 3) % 24);
  }
  return values;
}

inline void add(std::vector<float>& sum, const std::vector<float>& part) {
  if (sum.empty()) sum.assign(part.size(), -0.0F);
  for (std::size_t i = 0; i < part.size(); ++i) sum[i] += part[i];
}

inline std::size_t different_bits(std::span<const float> a, std::span<const float> b) {
  std::size_t count = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    count += std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i]) ? 1 : 0;
  }
  return count;
}

/// Plainly: nodes of `per_node` ranks (0 = all) in order, in each its ranks in order.
inline std::vector<float> expected(int per_node, std::size_t size, std::uint32_t step) {
  const int step_ranks = per_node == 0 ? world().size() : per_node;
  std::vector<float> sum;
  for (int first = 0; first < world().size(); first += step_ranks) {
    std::vector<float> node;
    for (int r = first; r < std::min(world().size(), first + step_ranks); ++r) {
      add(node, brought(r, size, step));
    }
    add(sum, node);
  }
  return sum;
}

}  // namespace oida::testing
