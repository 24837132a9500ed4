#pragma once
// Which samples, or tiles of them, each unit trains on and is judged by.

#include "dataset.hpp"

namespace oida::app {

/// InputError naming a key of [data].
SplitOptions split_options(const Deck& deck, const FeatureRecipe& recipe);

/// As in shown(): what of a block's rim a filter made of other blocks' pixels.
int rim_px(const Dataset& data, const Deck& deck);

/// Shards, sized by the units' weights, and validation shares of this unit, from `data.split`;
/// InputError naming data.shards.
void cut_shards(Comm& comm, const Deck& deck, Dataset& data,
                const std::vector<std::int64_t>& weights);

/// Collective. Samples of all units by class; a warning where shards are skewed by label.
void gather_shard_classes(Comm& comm, Dataset& data);

}  // namespace oida::app
