#pragma once
// The engine for CPUs: oneDNN, and kernels of its own where they are faster.

#include <memory>
#include <string>

#include "engine/engine.hpp"

namespace oida {

/// InputError naming train.precision where the CPU lacks it.
std::unique_ptr<Engine> make_onednn_engine(const Network& network, const EngineOptions& options);

/// "2.6.3"
std::string onednn_version();

}  // namespace oida
