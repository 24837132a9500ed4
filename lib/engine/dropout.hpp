#pragma once
// The dropout masks that every engine draws alike (Srivastava et al., JMLR 15 (2014) 1929; the
// inverted form: what is kept is divided by 1 - rate, so that predict() needs no scaling).

#include <cstdint>
#include <span>

#include "data/batch.hpp"

namespace oida {

/// Fills `keep` for sample `i` of the batch before layer `layer` (index into Network::layers): 1
/// where a value is kept, 0 where it is set to zero, with probability `rate`. `keep` has one byte
/// an element of the layer's input in c, h, w order. Drawn from (batch.seed, Purpose::dropout,
/// (layer, i), batch.step): equal on every engine, thread and repetition.
void dropout_mask(const Batch& batch, int layer, float rate, int i, std::span<std::uint8_t> keep);

/// Words below this one drop their value.
inline std::uint32_t dropped_below(float rate) {
  return static_cast<std::uint32_t>(static_cast<double>(rate) * 0x1p32);
}

/// What a kept value is multiplied with.
inline float dropout_scale(float rate) {
  return 1.0F / (1.0F - rate);
}

}  // namespace oida
