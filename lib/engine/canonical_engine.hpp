#pragma once
// Units whose engines order their parameters differently (CPU and GPU in one job, say) exchange
// them in canonical order.

#include <cstdint>
#include <memory>

#include "engine/engine.hpp"

namespace oida {

/// The same engine, whose flat order is the canonical one of nn/network.hpp. Costs two permutations
/// a step where the parameters do not stay with the engine; a gradient is final as a whole.
std::unique_ptr<Engine> in_canonical_order(std::unique_ptr<Engine> engine);

/// Equal where two engines of one network order their parameters alike.
std::uint64_t order_checksum(const Engine& engine);

}  // namespace oida
