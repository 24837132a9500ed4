#include "shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/hash.hpp"

namespace oida::app {

namespace {

std::int64_t parse_count(const std::string& key, const std::string& text, std::int64_t least) {
  std::size_t used = 0;
  std::int64_t value = least - 1;
  try {
    value = std::stoll(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != text.size() || value < least || value > 1 << 20) {
    throw InputError(key, "'" + text + "' is not a whole number from " + std::to_string(least));
  }
  return value;
}

}  // namespace

SplitOptions split_options(const Deck& deck, const FeatureRecipe& recipe) {
  SplitOptions options;
  options.kind = split_kind(deck.data.split);
  options.block_px = static_cast<int>(deck.data.block_px);
  options.patch_px = deck.dense() ? 1 : static_cast<int>(deck.data.patch_px);
  if (options.patch_px % 2 == 0) {
    throw InputError("data.patch_px", std::to_string(options.patch_px) +
                                          " is even; a patch has a "
                                          "centre pixel, so its side is odd");
  }
  options.halo_px = recipe.halo_px();
  if (deck.data.buffer_px != "auto") {
    options.buffer_px = static_cast<int>(parse_count("data.buffer_px", deck.data.buffer_px, 0));
  }
  options.validation_share = deck.data.validation_share;
  options.test_share = deck.data.test_share;
  options.max_per_class = deck.data.max_per_class;
  options.seed = static_cast<std::uint64_t>(deck.data.seed);
  return options;
}

int rim_px(const Dataset& data, const Deck& deck) {
  return std::min(buffer_px(split_options(deck, data.recipe)), data.recipe.halo_px());
}

namespace {

/// At most `most` of the validation samples or tiles, the same on all ranks, spread over classes as
/// the whole is.
std::vector<Sample> in_use(const std::vector<Sample>& validation, std::int64_t limit,
                           std::uint64_t seed) {
  const auto most = static_cast<std::size_t>(limit);
  if (validation.size() <= most) return validation;
  const auto parts = static_cast<int>((validation.size() + most - 1) / most);
  const auto chosen = make_shard(validation, ShardKind::stratified, seed, parts, 0);
  std::vector<Sample> samples;
  for (const auto index : chosen) samples.push_back(validation[index]);
  return samples;
}

std::vector<Sample> pick(const std::vector<Sample>& samples,
                         const std::vector<std::uint32_t>& indices) {
  std::vector<Sample> picked;
  picked.reserve(indices.size());
  for (const auto index : indices) picked.push_back(samples[index]);
  return picked;
}

void require_enough(std::size_t count, const std::string& what, const Comm& comm) {
  if (count >= static_cast<std::size_t>(comm.size())) return;
  throw InputError("data.shards", std::to_string(count) + " training " + what +
                                      " are too few for " + std::to_string(comm.size()) + " units");
}

/// The unit's share of what scores candidates, and what all units score for merges that weigh.
void share_validation(const Comm& comm, const Deck& deck, const std::vector<Sample>& validation,
                      Dataset& data) {
  const auto seed = static_cast<std::uint64_t>(deck.data.seed);
  const auto used = in_use(validation, deck.oida.validate_samples, seed);
  data.validation_total = used.size();
  if (data.dense()) {
    data.validation_total = 0;
    for (const Sample& tile : used) {
      data.validation_total += static_cast<std::size_t>(data.tiles.validation->count(tile));
    }
  }
  data.validation = pick(used, evaluation_share(used, comm.size(), comm.rank()));
  if (deck.oida.merge != "mean") data.common = in_use(validation, deck.oida.merge_samples, seed);
}

/// Indices into the training samples of this unit's shard; the tiles that hold them are the unit's.
std::vector<std::uint32_t> cut_tile_shard(const Comm& comm, const Deck& deck, Dataset& data,
                                          const std::vector<std::int64_t>& weights) {
  const auto& training = data.split.training;
  const int tile_px = static_cast<int>(deck.data.tile_px), rim = rim_px(data, deck);
  if (deck.data.tile_px > deck.data.block_px - 2 * rim) {
    throw InputError("data.tile_px",
                     std::to_string(tile_px) +
                         "; a tile lies in its block: allowed with data.block_px = " +
                         std::to_string(deck.data.block_px) + ": up to " +
                         std::to_string(deck.data.block_px - 2 * rim));
  }
  const Tiling tiling = make_tiles(data.split, training, tile_px, rim);
  require_enough(tiling.tiles.size(), "tiles", comm);
  data.tiles.shard_tiles = shard_sizes(tiling.tiles.size(), weights);
  const auto own = make_shard(tiling.tiles, shard_kind(deck.data.shards),
                              static_cast<std::uint64_t>(deck.data.seed), weights, comm.rank());
  data.tiles.shard = pick(tiling.tiles, own);
  std::vector<bool> is_own(tiling.tiles.size());
  for (const auto tile : own) is_own[tile] = true;
  std::vector<std::uint32_t> samples;
  for (std::uint32_t i = 0; i < training.size(); ++i) {
    if (is_own[tiling.tile_of[i]]) samples.push_back(i);
  }
  data.tiles.training =
      std::make_unique<TileLabels>(data.split, pick(training, samples), tile_px, rim);
  data.tiles.validation =
      std::make_unique<TileLabels>(data.split, data.split.validation, tile_px, rim);
  return samples;
}

}  // namespace

void cut_shards(Comm& comm, const Deck& deck, Dataset& data,
                const std::vector<std::int64_t>& weights) {
  const auto& training = data.split.training;
  require_enough(training.size(), "samples", comm);
  const auto own =
      deck.dense() ? cut_tile_shard(comm, deck, data, weights)
                   : make_shard(training, shard_kind(deck.data.shards),
                                static_cast<std::uint64_t>(deck.data.seed), weights, comm.rank());
  data.shard = pick(training, own);
  data.shard_checksums = {hex(shard_checksum(data.split, training, own))};
  std::vector<std::uint32_t> all(training.size());
  std::iota(all.begin(), all.end(), 0U);
  data.checksum = hex(shard_checksum(data.split, training, all));
  const auto validation = deck.dense()
                              ? make_tiles(data.split, data.split.validation,
                                           static_cast<int>(deck.data.tile_px), rim_px(data, deck))
                                    .tiles
                              : data.split.validation;
  share_validation(comm, deck, validation, data);
}

namespace {

/// Half the mean distance of the units' class shares from those of all: 0 where all shards are
/// alike, towards 1 where each unit sees classes that the others do not.
double label_skew(const Dataset& data) {
  const auto& all = data.split.counts[static_cast<std::size_t>(Part::training)];
  const auto total = static_cast<double>(data.split.training.size());
  const auto units = static_cast<double>(data.shard_classes.size());
  double skew = 0;
  for (std::size_t unit = 0; unit < data.shard_classes.size(); ++unit) {
    const auto& own = data.shard_classes[unit];
    const auto samples = static_cast<double>(data.shard_samples[unit]);
    for (std::size_t k = 0; k < own.size(); ++k) {
      const double share = static_cast<double>(own[k]) / samples;
      skew += std::abs(share - static_cast<double>(all[k]) / total) / (2 * units);
    }
  }
  return skew;
}

}  // namespace

void gather_shard_classes(Comm& comm, Dataset& data) {
  const auto classes = static_cast<std::size_t>(data.classes.size());
  std::vector<std::int64_t> counts(static_cast<std::size_t>(comm.size()) * classes);
  const auto mine = static_cast<std::size_t>(comm.rank()) * classes;
  for (const Sample& sample : data.shard) ++counts[mine + sample.label];
  comm.sum(counts);
  for (std::size_t first = 0; first < counts.size(); first += classes) {
    const auto own = std::span(counts).subspan(first, classes);
    data.shard_classes.emplace_back(own.begin(), own.end());
    data.shard_samples.push_back(std::accumulate(own.begin(), own.end(), std::int64_t{0}));
  }
  constexpr double kSkewed = 0.05;
  const double skew = label_skew(data);
  if (skew < kSkewed) return;
  data.warnings.push_back("shards are skewed by label: " + std::to_string(std::lround(100 * skew)) +
                          " % of the samples would have to change their unit for all units to see "
                          "the classes alike; this costs accuracy (data.shards = stratified "
                          "avoids it)");
}

}  // namespace oida::app
