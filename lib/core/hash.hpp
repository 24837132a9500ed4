#pragma once
// 64-bit checksums (XXH3, by xxHash) of shards, decks and checkpoint arrays.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace oida {

std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed = 0);

template <typename T>
std::uint64_t checksum(std::span<const T> values, std::uint64_t seed = 0) {
  return checksum(std::as_bytes(values), seed);
}

/// The checksum of bytes that come in pieces: equal to checksum() of all of them in one.
class Checksum {
 public:
  explicit Checksum(std::uint64_t seed = 0);
  ~Checksum();
  Checksum(const Checksum&) = delete;
  Checksum& operator=(const Checksum&) = delete;

  void add(std::span<const std::byte> bytes);
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Sixteen lower-case hexadecimal digits.
std::string hex(std::uint64_t value);

}  // namespace oida
