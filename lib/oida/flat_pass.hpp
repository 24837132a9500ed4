#pragma once
// The arithmetic of a mean of parameters on flat arrays, one pass over memory each: a round's merge
// and the next round's send are neighbours in time and share theirs.

#include <span>

namespace oida {

/// Arrays of equal size that do not overlap. What travels is w s, and the sum is the mean m; where
/// `base` (b, the mean that all units know) is given, what travels is w (s - b), and m is b + sum.
struct FlatArrays {
  std::span<float> x;          // live parameters
  std::span<float> sent;       // s
  std::span<float> base;       // b, or empty
  std::span<float> out;        // what travels
  std::span<const float> sum;  // what has come
  float kept = 1;              // share of s that is still in x
  int threads = 1;             // OpenMP threads of a large pass
};

/// s <- x, out <- what travels. False when an element of x is not finite.
bool send(const FlatArrays& arrays, float weight);
/// b <- m where there is a base, x <- x + kept (m - s). False when an element of the new x is not
/// finite.
bool merge(const FlatArrays& arrays);
/// merge(), then send(), to the same bits. False when an element of the new x is not finite.
bool merge_and_send(const FlatArrays& arrays, float weight);

}  // namespace oida
