#pragma once
// 64-bit checksums (XXH3, by xxHash) of shards, decks and checkpoint arrays.

#include <cstdint>
#include <span>
#include <string>

namespace oida {

std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed = 0);

template <typename T>
std::uint64_t checksum(std::span<const T> values, std::uint64_t seed = 0) {
  return checksum(std::as_bytes(values), seed);
}

/// Sixteen lower-case hexadecimal digits.
std::string hex(std::uint64_t value);

}  // namespace oida
