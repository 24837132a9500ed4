#pragma once
// The reference engine's one array type.

#include <cstddef>
#include <vector>

#include "nn/network.hpp"

namespace oida::reference {

/// [capacity, c, h, w] in double.
struct Tensor {
  Tensor(int capacity, Shape of)
      : shape(of), values(static_cast<std::size_t>(capacity) * of.size()) {}

  std::size_t index(int n, int c, int y, int x) const {
    const auto row = (static_cast<std::size_t>(n) * static_cast<std::size_t>(shape.c) +
                      static_cast<std::size_t>(c)) *
                         static_cast<std::size_t>(shape.h) +
                     static_cast<std::size_t>(y);
    return row * static_cast<std::size_t>(shape.w) + static_cast<std::size_t>(x);
  }
  double& at(int n, int c, int y, int x) { return values[index(n, c, y, x)]; }
  double at(int n, int c, int y, int x) const { return values[index(n, c, y, x)]; }
  double* sample(int n) { return values.data() + static_cast<std::size_t>(n) * shape.size(); }
  const double* sample(int n) const {
    return values.data() + static_cast<std::size_t>(n) * shape.size();
  }

  Shape shape;
  std::vector<double> values;
};

}  // namespace oida::reference
