#pragma once
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC'11, section 3.3)
// for the GPU: the bits of core/rng.hpp.

#include <cstdint>

#include "engine/cuda/host_device.hpp"

namespace oida::cuda {

struct Words4 {
  std::uint32_t at[4];
};

OIDA_BOTH inline Words4 philox(Words4 counter, std::uint32_t key0, std::uint32_t key1) {
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t even = std::uint64_t{0xD2511F53U} * counter.at[0];
    const std::uint64_t odd = std::uint64_t{0xCD9E8D57U} * counter.at[2];
    counter = {{static_cast<std::uint32_t>(odd >> 32) ^ counter.at[1] ^ key0,
                static_cast<std::uint32_t>(odd),
                static_cast<std::uint32_t>(even >> 32) ^ counter.at[3] ^ key1,
                static_cast<std::uint32_t>(even)}};
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return counter;
}

}  // namespace oida::cuda
