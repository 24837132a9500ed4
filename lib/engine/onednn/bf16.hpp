#pragma once
// bfloat16: the upper half of a float32, rounded to nearest even.

#include <bit>
#include <cstdint>

namespace oida::onednn {

struct Bf16 {
  std::uint16_t bits = 0;
};

inline float to_float(float value) {
  return value;
}

inline float to_float(Bf16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16U);
}

template <typename T>
T from_float(float value);

template <>
inline float from_float<float>(float value) {
  return value;
}

/// A NaN stays one: its quiet bit is set, for rounding could carry it into an infinity.
template <>
inline Bf16 from_float<Bf16>(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const bool nan = (bits & 0x7fffffffU) > 0x7f800000U;
  const std::uint32_t rounded = bits + 0x7fffU + ((bits >> 16U) & 1U);
  return {static_cast<std::uint16_t>((nan ? bits | 0x00400000U : rounded) >> 16U)};
}

}  // namespace oida::onednn
