#pragma once
// Fixed, unique, class-stratified shares of the samples, one for each computing unit.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/split.hpp"

namespace oida {

enum class ShardKind { stratified, spatial };
ShardKind shard_kind(const std::string& name);

/// Indices into `samples` of unit `unit` out of `units`, ascending.
///
/// stratified: each class is permuted by (seed, class) and dealt in turn, going on with the unit
/// where the last class stopped: sizes differ by at most one, class counts too.
/// spatial: samples in scene order are cut into `units` consecutive runs (label-skewed on purpose).
/// The shards of all units are disjoint and cover the samples.
std::vector<std::uint32_t> make_shard(std::span<const Sample> samples, ShardKind kind,
                                      std::uint64_t seed, int units, int unit);

/// Sample counts of all units without making their shards.
std::vector<std::int64_t> shard_sizes(std::size_t samples, int units);

/// XXH3 over (scene, row, col, label) of the shard's samples in order.
std::uint64_t shard_checksum(const Split& split, std::span<const Sample> samples,
                             std::span<const std::uint32_t> shard);

/// Contiguous share of evaluation samples (validation, test), by blocks so that a unit reads few.
std::vector<std::uint32_t> evaluation_share(std::span<const Sample> samples, int units, int unit);

}  // namespace oida
