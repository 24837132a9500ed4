#pragma once
// The arithmetic of the delayed mean on flat arrays, one pass over memory each: a round's merge and
// the next round's send are neighbours in time and share theirs.

#include <span>

namespace oida {

/// Arrays of equal size that do not overlap.
struct FlatArrays {
  std::span<float> x;       // live parameters
  std::span<float> sent;    // s
  std::span<float> buffer;  // of the exchange: w s on its way out, m on its way back
  int threads = 1;          // OpenMP threads of a large pass
};

/// s <- x, buffer <- weight x. False when an element of x is not finite.
bool send(const FlatArrays& arrays, float weight);
/// x <- x + (m - s) with m in the buffer. False when an element of the new x is not finite.
bool merge(const FlatArrays& arrays);
/// merge(), then send(), to the same bits. False when an element of the new x is not finite.
bool merge_and_send(const FlatArrays& arrays, float weight);

}  // namespace oida
