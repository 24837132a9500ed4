#include "engine/dropout.hpp"

#include "core/rng.hpp"

namespace oida {

void dropout_mask(const Batch& batch, int layer, float rate, int i, std::span<std::uint8_t> keep) {
  const auto sample = (static_cast<std::uint64_t>(layer) << 32) |
                      static_cast<std::uint64_t>(static_cast<std::uint32_t>(i));
  Random random(batch.seed, Purpose::dropout, sample, batch.step);
  const std::uint32_t bound = dropped_below(rate);
  for (auto& byte : keep) byte = random() >= bound ? 1 : 0;
}

}  // namespace oida
