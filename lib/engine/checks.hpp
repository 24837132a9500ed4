#pragma once
// What every engine demands of its options, batches and arrays before it computes.

#include <span>

#include "engine/engine.hpp"

namespace oida {

/// InputError naming the deck key: threads and max_batch from 1, class weights none or one a class,
/// finite and not negative; label smoothing from 0 to below 1.
void check_options(const Network& network, const EngineOptions& options);

/// Error unless the batch has 1 to max_batch samples of the network's input shape and the engine's
/// channel_stride(), a label for each, from -1 to classes - 1, and patches that are `named` or cut.
void check_batch(const Engine& engine, const Batch& batch, bool named = false);

/// Error unless `size`, the size of the array called `what`, is `expected`.
void check_size(const char* what, std::size_t size, std::size_t expected);

}  // namespace oida
