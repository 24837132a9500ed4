#pragma once
// How much of a GPU's memory a network takes, asked before a GPU is touched.

#include "engine/engine.hpp"

namespace oida::cuda {

/// Scratch that cuDNN's algorithms may take within a limit of 0 (none) or more bytes.
std::size_t workspace_limit_bytes(std::size_t memory_limit_bytes);

/// Bytes on the GPU of an engine with these options that trains, its workspace at its limit, where
/// batches come from the host.
std::size_t planned_bytes(const Network& network, const EngineOptions& options);

/// Whether training, with batches cut on the GPU from a scene of so many bytes, takes at most
/// `room_bytes`.
bool scene_fits(const Network& network, const EngineOptions& options, std::size_t scene_bytes,
                std::size_t room_bytes);

/// InputError naming device.memory_limit_mb, what is needed and the largest batch that fits, unless
/// options.memory_limit_bytes is 0 or large enough.
void check_memory(const Network& network, const EngineOptions& options);

}  // namespace oida::cuda
