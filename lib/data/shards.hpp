#pragma once
// Fixed, unique, class-stratified shares of the samples, one for each computing unit.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/split.hpp"

namespace oida {

enum class ShardKind { stratified, local, spatial };
/// InputError on an unknown name.
ShardKind shard_kind(const std::string& name);

/// Indices into `samples` of unit `unit` out of `units`, ascending.
///
/// stratified: each class is permuted by (seed, class) and dealt in turn, going on with the unit
/// where the last class stopped: sizes differ by at most one, class counts too.
/// local: as many of each class as stratified deals, but as consecutive runs of the class's
/// samples, which are sorted by block: a unit reads only its part of the scenes. spatial: the
/// samples, sorted by block as a Split has them, are cut into `units` consecutive runs
/// (label-skewed on purpose).
/// The shards of all units are disjoint and cover the samples.
/// With `weights`, from 1 and one a unit, a unit has its turn as often as its weight says: after
/// every sum(weights) / gcd(weights) samples all have exactly their shares. Equal weights deal as
/// none do.
std::vector<std::uint32_t> make_shard(std::span<const Sample> samples, ShardKind kind,
                                      std::uint64_t seed, std::span<const std::int64_t> weights,
                                      int unit);
std::vector<std::uint32_t> make_shard(std::span<const Sample> samples, ShardKind kind,
                                      std::uint64_t seed, int units, int unit);

/// Sample counts of all units without making their shards.
std::vector<std::int64_t> shard_sizes(std::size_t samples, std::span<const std::int64_t> weights);
std::vector<std::int64_t> shard_sizes(std::size_t samples, int units);

/// A whole, the samples of a step say, shared out by speeds above 0, each unit 1 or more; rests go
/// to the largest remainders. Error where the whole is less than the number of units.
std::vector<std::int64_t> shared_out(std::int64_t whole, std::span<const double> speeds);

/// XXH3 over (scene, row, col, label), int32 each, of the shard's samples in order.
std::uint64_t shard_checksum(const Split& split, std::span<const Sample> samples,
                             std::span<const std::uint32_t> shard);

/// Contiguous share of evaluation samples (validation, test): samples are sorted by block, so a
/// unit reads few blocks, and shares only its first and last one with a neighbour. Sizes differ by
/// at most one, so that all units score in the same time.
std::vector<std::uint32_t> evaluation_share(std::span<const Sample> samples, int units, int unit);

}  // namespace oida
