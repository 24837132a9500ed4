#pragma once
// The loops behind Kernels, for the compiler to vectorise: each kernels_*.cpp includes them and is
// compiled for its instruction set, without contraction to fused multiply-adds, so that all round
// alike. Nothing here but functions of internal linkage: the linker must not give one file's to
// another.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "comm/kernels.hpp"

namespace oida {
namespace {

constexpr std::size_t kSumBlock = 512;  // floats that stay in the first-level cache
constexpr std::uint32_t kMagnitude = 0x7fffffffU;
constexpr std::uint32_t kInfinity = 0x7f800000U;
constexpr float kTiny = 1e-36F;  // below, 127 / max would overflow; such blocks are kept back whole

void add_up_two(const float* a, const float* b, std::size_t count, float* sum) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) sum[i] = a[i] + b[i];
}

void add_up(const float* const* parts, std::size_t n_parts, std::size_t count, float* sum) {
  if (n_parts == 1) {
    if (parts[0] != sum) std::memcpy(sum, parts[0], count * sizeof(float));
    return;
  }
  if (n_parts == 2) return add_up_two(parts[0], parts[1], count, sum);
  float block[kSumBlock];
  for (std::size_t begin = 0; begin < count; begin += kSumBlock) {
    const std::size_t length = count - begin < kSumBlock ? count - begin : kSumBlock;
    add_up_two(parts[0] + begin, parts[1] + begin, length, block);
    for (std::size_t r = 2; r + 1 < n_parts; ++r) {
      add_up_two(block, parts[r] + begin, length, block);
    }
    add_up_two(block, parts[n_parts - 1] + begin, length, sum + begin);
  }
}

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// One block, its values made up to kWireBlock with zeros.
struct Block {
  alignas(64) float value[kWireBlock];
  alignas(64) float left[kWireBlock];
  alignas(64) std::int8_t level[kWireBlock];
  float scale;
};

void load(const float* values, const float* remainder, std::size_t count, Block& block) {
  if (count == kWireBlock) {
    for (std::size_t i = 0; i < kWireBlock; ++i) block.value[i] = values[i] + remainder[i];
    return;
  }
  for (std::size_t i = 0; i < count; ++i) block.value[i] = values[i] + remainder[i];
  for (std::size_t i = count; i < kWireBlock; ++i) block.value[i] = 0.0F;
}

/// max |value|; as integers, since NaN compares to nothing.
std::uint32_t magnitude(const Block& block) {
  std::uint32_t top = 0;
  for (std::size_t i = 0; i < kWireBlock; ++i) {
    const std::uint32_t bits = bits_of(block.value[i]) & kMagnitude;
    top = bits > top ? bits : top;
  }
  return top;
}

/// Levels from -levels to levels.
void quantise(Block& block, float levels) {
  const std::uint32_t top = magnitude(block);
  const bool finite = top < kInfinity;
  const float most = finite && float_of(top) >= kTiny ? float_of(top) : 0.0F;
  const float inverse = most > 0.0F ? levels / most : 0.0F;
  block.scale = finite ? most / levels : float_of(kInfinity | 0x00400000U);
  if (!finite) {
    std::memset(block.left, 0, sizeof block.left);
    std::memset(block.level, 0, sizeof block.level);
    return;
  }
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to nearest even
  for (std::size_t i = 0; i < kWireBlock; ++i) {
    const float level = (block.value[i] * inverse + kRound) - kRound;
    block.left[i] = block.value[i] - level * block.scale;
    block.level[i] = static_cast<std::int8_t>(static_cast<std::int32_t>(level));
  }
}

/// Two levels a byte.
void pack(const std::int8_t* level, std::uint8_t* packed) {
  constexpr std::size_t kHalf = kWirePair / 2;
  for (std::size_t pair = 0; pair < kWireBlock / kWirePair; ++pair) {
    const std::int8_t* low = level + pair * kWirePair;
    const std::int8_t* high = low + kHalf;
    for (std::size_t i = 0; i < kHalf; ++i) {
      packed[pair * kHalf + i] = static_cast<std::uint8_t>((low[i] & 15) | (high[i] << 4));
    }
  }
}

void unpack(const std::uint8_t* packed, std::int8_t* level) {
  constexpr std::size_t kHalf = kWirePair / 2;
  for (std::size_t pair = 0; pair < kWireBlock / kWirePair; ++pair) {
    std::int8_t* low = level + pair * kWirePair;
    std::int8_t* high = low + kHalf;
    for (std::size_t i = 0; i < kHalf; ++i) {
      const std::uint8_t both = packed[pair * kHalf + i];
      low[i] = static_cast<std::int8_t>(static_cast<std::int8_t>(both << 4) >> 4);
      high[i] = static_cast<std::int8_t>(static_cast<std::int8_t>(both) >> 4);
    }
  }
}

/// Calls use(begin, count, bytes of the payload before this block) for each block.
template <typename Use>
void each_block(Wire wire, std::size_t count, Use&& use) {
  const std::size_t block_bytes = wire == Wire::int8 ? kWireBlock : kWireBlock / 2;
  for (std::size_t k = 0; k * kWireBlock < count; ++k) {
    const std::size_t begin = k * kWireBlock;
    use(begin, count - begin < kWireBlock ? count - begin : kWireBlock, k * block_bytes);
  }
}

std::size_t scales_bytes(std::size_t count) {
  return (count + kWireBlock - 1) / kWireBlock * sizeof(float);
}

std::size_t payload_bytes(Wire wire, std::size_t count) {
  return wire == Wire::int8 ? count : (count + kWirePair - 1) / kWirePair * (kWirePair / 2);
}

void encode_levels(Wire wire, const float* values, std::size_t count, float* remainder,
                   std::byte* to) {
  std::byte* payload = to + scales_bytes(count);
  each_block(wire, count, [&](std::size_t begin, std::size_t length, std::size_t at) {
    Block block;
    load(values + begin, remainder + begin, length, block);
    quantise(block, wire == Wire::int8 ? 127.0F : 7.0F);
    std::memcpy(to + begin / kWireBlock * sizeof(float), &block.scale, sizeof(float));
    std::memcpy(remainder + begin, block.left, length * sizeof(float));
    if (wire == Wire::int8) {
      std::memcpy(payload + at, block.level, length);
      return;
    }
    std::uint8_t packed[kWireBlock / 2];
    pack(block.level, packed);
    std::memcpy(payload + at, packed, payload_bytes(wire, length));
  });
}

void decode_levels(Wire wire, const std::byte* from, std::size_t count, float* values) {
  const std::byte* payload = from + scales_bytes(count);
  each_block(wire, count, [&](std::size_t begin, std::size_t length, std::size_t at) {
    Block block;
    std::memcpy(&block.scale, from + begin / kWireBlock * sizeof(float), sizeof(float));
    if (wire == Wire::int8) {
      std::memcpy(block.level, payload + at, length);
    } else {
      std::uint8_t packed[kWireBlock / 2] = {};
      std::memcpy(packed, payload + at, payload_bytes(wire, length));
      unpack(packed, block.level);
    }
    float* to = values + begin;
    for (std::size_t i = 0; i < length; ++i) {
      to[i] = static_cast<float>(block.level[i]) * block.scale;
    }
  });
}

void encode_half(const float* values, std::size_t count, float* remainder, std::byte* to) {
  auto* half = reinterpret_cast<std::uint16_t*>(to);
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    const float value = values[i] + remainder[i];
    const std::uint32_t bits = bits_of(value);
    const bool nan = (bits & kMagnitude) > kInfinity;
    const std::uint32_t nearest = bits + 0x7fffU + ((bits >> 16) & 1U);
    const std::uint32_t rounded = nan ? kInfinity | 0x00400000U : nearest & 0xffff0000U;
    const bool finite = (rounded & kMagnitude) < kInfinity;
    remainder[i] = finite ? value - float_of(rounded) : 0.0F;
    half[i] = static_cast<std::uint16_t>(rounded >> 16);
  }
}

void decode_half(const std::byte* from, std::size_t count, float* values) {
  const auto* half = reinterpret_cast<const std::uint16_t*>(from);
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = float_of(static_cast<std::uint32_t>(half[i]) << 16);
  }
}

void encode(Wire wire, const float* values, std::size_t count, float* remainder, std::byte* to) {
  if (wire == Wire::bf16) return encode_half(values, count, remainder, to);
  encode_levels(wire, values, count, remainder, to);
}

void decode(Wire wire, const std::byte* from, std::size_t count, float* values) {
  if (wire == Wire::bf16) return decode_half(from, count, values);
  decode_levels(wire, from, count, values);
}

}  // namespace
}  // namespace oida
