#pragma once
// The reference network behind the engine's interface: flat order is canonical order.

#include <memory>

#include "engine/engine.hpp"

namespace oida {

/// InputError when `options` asks for another precision than fp32 (arithmetic is in double,
/// parameters and gradients are float). options.threads has no effect: one thread works.
std::unique_ptr<Engine> make_reference_engine(const Network& network, const EngineOptions& options);

}  // namespace oida
