#pragma once
// Counter-based random numbers (Philox4x32-10; Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC'11, by Random123). A stream is named by (seed, purpose, sample, step): what is drawn
// never depends on the order of calls elsewhere, on threads or on ranks.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace oida {

enum class Purpose : std::uint32_t {
  weights = 1,
  split,
  limit,
  shard,
  sampler,
  augment,
  dropout,
  speckle,
  texture,
  layout,
  test,
  shift,
  jitter,
};

/// A UniformRandomBitGenerator over one named stream.
class Random {
 public:
  using result_type = std::uint32_t;

  Random(std::uint64_t seed, Purpose purpose, std::uint64_t sample = 0, std::uint32_t step = 0);

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return 0xffffffffU; }
  result_type operator()();

  /// Uniform in [0, 1) with 24 bits.
  float uniform();
  /// Standard normal (Box and Muller 1958).
  double normal();
  /// Uniform in [0, bound); bound > 0. Bias below bound / 2^64.
  std::uint32_t below(std::uint32_t bound);

 private:
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
};

/// A random permutation of 0 .. n-1 (Fisher and Yates), n < 2^32.
std::vector<std::uint32_t> permutation(std::size_t n, Random random);
/// The same, written over `order` (n = its size) without allocating.
void permute(std::span<std::uint32_t> order, Random random);

}  // namespace oida
