#pragma once
// What chunks look like between nodes.
//
//   fp32   4 bytes a float
//   bf16   the upper half of the float, rounded to nearest even
//   int8   a block of 256 values v is one float, scale = max |v| / 127, and a byte each,
//          round(v / scale); all scales first, then all bytes
//   int4   the same with scale = max |v| / 7, two values a byte: of each 32, value i and i + 16
//          share byte i
//
// A last block that is not full has its bytes alone (int4: those of each 32 begun). A block with a
// value that is not finite arrives as NaN throughout, so that all units see it.

#include <cstddef>

#include "comm/exchange.hpp"

namespace oida {

inline constexpr std::size_t kWireBlock = 256;
inline constexpr std::size_t kWirePair = 32;  // values that share 16 bytes in int4

inline constexpr std::size_t divided_up(std::size_t n, std::size_t by) {
  return (n + by - 1) / by;
}

inline constexpr std::size_t rounded_up(std::size_t n, std::size_t unit) {
  return divided_up(n, unit) * unit;
}

/// Bytes of `count` floats.
std::size_t wire_bytes(Wire wire, std::size_t count);

}  // namespace oida
