#pragma once
// Sums over the rows of [rows, channels] in a fixed order: the gradient of a bias.

#include "engine/cuda/numbers.hpp"

namespace oida::cuda {

/// Rows that one thread adds up.
constexpr Index kRowsOfASum = 128;

OIDA_BOTH inline Index sums_of(Index rows) {
  return (rows + kRowsOfASum - 1) / kRowsOfASum;
}

/// sums [sums_of(rows), channels]: each the sum of kRowsOfASum rows (the last of what is left).
/// Where `out` is given, values whose relu output in `out` is not above 0 first become 0.
template <typename T>
struct SumRows {
  T* values;
  const T* out;
  Index rows;
  Index channels;
  float* sums;

  OIDA_BOTH void operator()(Index index) const {
    const Index channel = index % channels;
    const Index first = index / channels * kRowsOfASum;
    const Index last = first + kRowsOfASum < rows ? first + kRowsOfASum : rows;
    float sum = 0.0F;
    for (Index row = first; row < last; ++row) {
      const Index at = row * channels + channel;
      if (out != nullptr && !(to_float(out[at]) > 0.0F)) values[at] = narrow<T>(0.0F);
      sum += to_float(values[at]);
    }
    sums[index] = sum;
  }
};

}  // namespace oida::cuda
