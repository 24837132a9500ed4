#pragma once
// The network on one GPU, by cuDNN, cuBLAS and own kernels behind the engine's interface.

#include <memory>
#include <string>

#include "engine/engine.hpp"

namespace oida {

/// Whether this program was built with all that the engine needs.
bool has_cuda_engine();
/// "cuBLAS 13.1, cuDNN 9.19", or "not built". InputError where they cannot be loaded.
std::string cuda_libraries();

/// InputError where the program was built without it or its libraries cannot be loaded, where there
/// is no GPU options.device, for a layer that it does not have, a precision other than fp32, tf32
/// and bf16, and where options.memory_limit_bytes are too few. options.threads has no effect. Used
/// by one thread.
std::unique_ptr<Engine> make_cuda_engine(const Network& network, const EngineOptions& options);

}  // namespace oida
