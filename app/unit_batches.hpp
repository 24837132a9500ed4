#pragma once
// How many samples each unit takes a step: all alike, or as fast as each is.

#include <cstdint>
#include <vector>

#include "comm/comm.hpp"
#include "dataset.hpp"
#include "deck.hpp"
#include "placement.hpp"

namespace oida::app {

/// Collective: by unit, the same on all. data.shard_weights = measured: by the samples/s of each
/// unit's engine in a few steps of its own, all at once; a run that goes on takes what its run.json
/// says. InputError (agreed) naming train.global_batch.
std::vector<std::int64_t> unit_batches(Comm& comm, const Deck& deck, const Dataset& data,
                                       const ComputePlace& place);

}  // namespace oida::app
