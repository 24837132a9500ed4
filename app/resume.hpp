#pragma once
// Which checkpoint a run goes on from.

#include <cstdint>
#include <optional>

#include "comm/comm.hpp"
#include "deck.hpp"
#include "oida/archive.hpp"

namespace oida::app {

/// Collective: the round of the newest checkpoint that is whole on every rank; none in a new run
/// directory or under run.resume = no. Damaged ones are named and skipped under auto. InputError
/// (agreed) when the one named by run.resume is bad, and under auto when there are some and none is
/// whole.
std::optional<std::int64_t> find_checkpoint(Comm& comm, const CheckpointStore& store,
                                            const Deck& deck);

/// Checkpoints newer than the one that the run goes on from, damaged or not: they stay to be looked
/// at, but out of the way of those to come. Rank 0 calls it and says what it did.
void set_newer_aside(CheckpointStore& store, std::int64_t round);

}  // namespace oida::app
