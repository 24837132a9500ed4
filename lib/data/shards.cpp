#include "data/shards.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/rng.hpp"

namespace oida {
namespace {

using Indices = std::vector<std::uint32_t>;

void check(std::size_t samples, int units, int unit) {
  if (units < 1 || unit < 0 || unit >= units || samples > 0xffffffffU) {
    throw Error("shards", "unit " + std::to_string(unit) + " of " + std::to_string(units) +
                              " units for " + std::to_string(samples) + " samples");
  }
}

/// Whose turn it is, over and over: always the unit that is furthest behind its share, of equal
/// ones the first.
std::vector<std::size_t> turns(std::span<const std::int64_t> weights) {
  std::int64_t divisor = 0;
  for (const std::int64_t weight : weights) {
    if (weight < 1) throw Error("shards", "a weight of " + std::to_string(weight));
    divisor = std::gcd(divisor, weight);
  }
  const std::int64_t all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  std::vector<std::size_t> turn;
  std::vector<std::int64_t> behind(weights.begin(), weights.end());
  for (std::int64_t k = 0; k < all / divisor; ++k) {
    const auto next = std::ranges::max_element(behind);
    turn.push_back(static_cast<std::size_t>(next - behind.begin()));
    *next -= all;
    for (std::size_t unit = 0; unit < behind.size(); ++unit) behind[unit] += weights[unit];
  }
  return turn;
}

Indices stratified(std::span<const Sample> samples, std::uint64_t seed,
                   const std::vector<std::size_t>& turn, std::size_t unit) {
  std::array<Indices, 256> members;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    members[samples[i].label].push_back(static_cast<std::uint32_t>(i));
  }
  Indices shard;
  std::size_t dealt = 0;
  for (std::size_t label = 0; label < members.size(); ++label) {
    const Indices order = permutation(members[label].size(), Random(seed, Purpose::shard, label));
    for (const std::uint32_t member : order) {
      if (turn[dealt++ % turn.size()] == unit) shard.push_back(members[label][member]);
    }
  }
  std::sort(shard.begin(), shard.end());
  return shard;
}

/// Each class in runs of neighbours, as long as dealing in turn would make them.
Indices local(std::span<const Sample> samples, const std::vector<std::size_t>& turn,
              std::size_t units, std::size_t unit) {
  std::array<Indices, 256> members;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    members[samples[i].label].push_back(static_cast<std::uint32_t>(i));
  }
  Indices shard;
  std::size_t dealt = 0;
  for (const Indices& own : members) {
    std::vector<std::ptrdiff_t> sizes(units, 0);
    for (std::size_t k = 0; k < own.size(); ++k) ++sizes[turn[dealt++ % turn.size()]];
    const auto end = sizes.begin() + static_cast<std::ptrdiff_t>(unit);
    const auto first = own.begin() + std::accumulate(sizes.begin(), end, std::ptrdiff_t{0});
    shard.insert(shard.end(), first, first + sizes[unit]);
  }
  std::sort(shard.begin(), shard.end());
  return shard;
}

std::vector<std::int64_t> equal_weights(int units) {
  return std::vector<std::int64_t>(static_cast<std::size_t>(std::max(units, 1)), 1);
}

}  // namespace

ShardKind shard_kind(const std::string& name) {
  if (name == "stratified") return ShardKind::stratified;
  if (name == "local") return ShardKind::local;
  if (name == "spatial") return ShardKind::spatial;
  throw InputError("data.shards", "'" + name + "' is unknown; allowed: stratified, local, spatial");
}

std::vector<std::uint32_t> make_shard(std::span<const Sample> samples, ShardKind kind,
                                      std::uint64_t seed, std::span<const std::int64_t> weights,
                                      int unit) {
  check(samples.size(), static_cast<int>(weights.size()), unit);
  const auto at = static_cast<std::size_t>(unit);
  if (kind == ShardKind::stratified) return stratified(samples, seed, turns(weights), at);
  if (kind == ShardKind::local) return local(samples, turns(weights), weights.size(), at);
  const auto sizes = shard_sizes(samples.size(), weights);
  Indices shard(static_cast<std::size_t>(sizes[at]));
  std::iota(shard.begin(), shard.end(),
            static_cast<std::uint32_t>(
                std::accumulate(sizes.begin(), sizes.begin() + unit, std::int64_t{0})));
  return shard;
}

std::vector<std::uint32_t> make_shard(std::span<const Sample> samples, ShardKind kind,
                                      std::uint64_t seed, int units, int unit) {
  check(samples.size(), units, unit);
  return make_shard(samples, kind, seed, equal_weights(units), unit);
}

std::vector<std::int64_t> shard_sizes(std::size_t samples, std::span<const std::int64_t> weights) {
  check(samples, static_cast<int>(weights.size()), 0);
  const auto turn = turns(weights);
  std::vector<std::int64_t> sizes(weights.size(), 0);
  for (std::size_t k = 0; k < turn.size(); ++k) {
    const std::size_t dealt = samples / turn.size() + (k < samples % turn.size() ? 1 : 0);
    sizes[turn[k]] += static_cast<std::int64_t>(dealt);
  }
  return sizes;
}

std::vector<std::int64_t> shard_sizes(std::size_t samples, int units) {
  check(samples, units, 0);
  return shard_sizes(samples, equal_weights(units));
}

std::vector<std::int64_t> shared_out(std::int64_t whole, std::span<const double> speeds) {
  const auto units = static_cast<std::int64_t>(speeds.size());
  if (whole < units) {
    throw Error("shards", std::to_string(whole) + " for " + std::to_string(units) + " units");
  }
  const double all = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  std::vector<std::int64_t> shares;
  std::vector<std::pair<double, std::size_t>> rests;
  for (std::size_t unit = 0; unit < speeds.size(); ++unit) {
    const double due = static_cast<double>(whole) * speeds[unit] / all;
    shares.push_back(std::max<std::int64_t>(1, static_cast<std::int64_t>(due)));
    rests.emplace_back(static_cast<double>(shares.back()) - due, unit);
  }
  std::ranges::sort(rests);
  auto left = whole - std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
  for (std::size_t k = 0; left > 0; ++k, --left) ++shares[rests[k].second];
  // Units that are owed less than the one that they have took it from the largest.
  for (; left < 0; ++left) --*std::ranges::max_element(shares);
  return shares;
}

std::uint64_t shard_checksum(const Split& split, std::span<const Sample> samples,
                             std::span<const std::uint32_t> shard) {
  Checksum sum;
  for (const std::uint32_t index : shard) {
    const Sample& sample = samples[index];
    const std::array<std::int32_t, 4> words = {split.blocks[sample.block].scene, sample.row,
                                               sample.col, sample.label};
    sum.add(std::as_bytes(std::span(words)));
  }
  return sum.value();
}

std::vector<std::uint32_t> evaluation_share(std::span<const Sample> samples, int units, int unit) {
  return make_shard(samples, ShardKind::spatial, 0, units, unit);
}

}  // namespace oida
