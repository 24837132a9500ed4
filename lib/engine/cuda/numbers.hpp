#pragma once
// The number formats of activations: float, and bfloat16 (the upper half of a float).

#include <cstdint>
#include <cstring>

#include "engine/cuda/host_device.hpp"

namespace oida::cuda {

struct Bf16 {
  std::uint16_t bits;
};

OIDA_BOTH inline float to_float(float value) {
  return value;
}

OIDA_BOTH inline float to_float(Bf16 value) {
  const std::uint32_t bits = static_cast<std::uint32_t>(value.bits) << 16;
  float wide;
  memcpy(&wide, &bits, sizeof wide);
  return wide;
}

template <typename T>
OIDA_BOTH T narrow(float value);

template <>
OIDA_BOTH inline float narrow<float>(float value) {
  return value;
}

/// To the nearest, of two equally near ones to the even one; a NaN stays one.
template <>
OIDA_BOTH inline Bf16 narrow<Bf16>(float value) {
  std::uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
  const std::uint32_t rounded = bits + 0x7fffU + ((bits >> 16) & 1U);
  return {static_cast<std::uint16_t>(is_nan ? (bits >> 16) | 0x40U : rounded >> 16)};
}

}  // namespace oida::cuda
