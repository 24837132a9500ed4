#pragma once
// What a sum over N nodes of one unit becomes on a lossy wire, in plain code of its own, after the
// rules in comm/wire.hpp, comm/chunks.hpp and comm/exchange.hpp.

#include <cstddef>
#include <vector>

#include "comm/exchange.hpp"

namespace oida::test {

/// Sums of arrays of `size` floats that travel in an exchange of `floats`; keeps what rounding
/// leaves out from sum to sum.
class WireSimulation {
 public:
  WireSimulation(std::size_t units, std::size_t size, std::size_t floats, Wire wire);

  /// One array a unit.
  std::vector<float> sum(const std::vector<std::vector<float>>& arrays);

 private:
  std::vector<float> round(std::size_t unit, std::vector<float> values, std::size_t first);

  std::size_t chunk_;
  Wire wire_;
  std::vector<std::vector<float>> left_out_;  // by unit and position
};

}  // namespace oida::test
