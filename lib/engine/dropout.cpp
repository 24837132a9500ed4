#include "engine/dropout.hpp"

#include "core/rng.hpp"

namespace oida {

void dropout_mask(const Batch& batch, int layer, float rate, int i, std::span<std::uint8_t> keep) {
  const auto sample = (static_cast<std::uint64_t>(layer) << 32) |
                      static_cast<std::uint64_t>(static_cast<std::uint32_t>(i));
  Random random(batch.seed, Purpose::dropout, sample, batch.step);
  const auto dropped_below = static_cast<std::uint32_t>(static_cast<double>(rate) * 0x1p32);
  for (auto& byte : keep) byte = random() >= dropped_below ? 1 : 0;
}

}  // namespace oida
