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

/// First sample of a unit's consecutive run; the first units take what does not divide.
std::size_t run_begin(std::size_t samples, int units, int unit) {
  const auto n = static_cast<std::size_t>(units);
  const auto u = static_cast<std::size_t>(unit);
  return samples / n * u + std::min(u, samples % n);
}

Indices run(std::size_t samples, int units, int unit) {
  const std::size_t begin = run_begin(samples, units, unit);
  Indices shard(run_begin(samples, units, unit + 1) - begin);
  std::iota(shard.begin(), shard.end(), static_cast<std::uint32_t>(begin));
  return shard;
}

Indices stratified(std::span<const Sample> samples, std::uint64_t seed, std::size_t units,
                   std::size_t unit) {
  std::array<Indices, 256> members;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    members[samples[i].label].push_back(static_cast<std::uint32_t>(i));
  }
  Indices shard;
  std::size_t dealt = 0;
  for (std::size_t label = 0; label < members.size(); ++label) {
    const Indices order = permutation(members[label].size(), Random(seed, Purpose::shard, label));
    for (std::size_t k = (unit + units - dealt % units) % units; k < order.size(); k += units) {
      shard.push_back(members[label][order[k]]);
    }
    dealt += order.size();
  }
  std::sort(shard.begin(), shard.end());
  return shard;
}

/// The units that dealing in turn would give one sample more are those from `dealt` on.
Indices local(std::span<const Sample> samples, std::size_t units, std::size_t unit) {
  std::array<Indices, 256> members;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    members[samples[i].label].push_back(static_cast<std::uint32_t>(i));
  }
  Indices shard;
  std::size_t dealt = 0;
  for (const Indices& own : members) {
    const auto size_of = [&](std::size_t u) {
      const bool one_more = (u + units - dealt % units) % units < own.size() % units;
      return own.size() / units + (one_more ? 1 : 0);
    };
    std::size_t begin = 0;
    for (std::size_t u = 0; u < unit; ++u) begin += size_of(u);
    const auto first = own.begin() + static_cast<std::ptrdiff_t>(begin);
    shard.insert(shard.end(), first, first + static_cast<std::ptrdiff_t>(size_of(unit)));
    dealt += own.size();
  }
  std::sort(shard.begin(), shard.end());
  return shard;
}

}  // namespace

ShardKind shard_kind(const std::string& name) {
  if (name == "stratified") return ShardKind::stratified;
  if (name == "local") return ShardKind::local;
  if (name == "spatial") return ShardKind::spatial;
  throw InputError("data.shards", "'" + name + "' is unknown; allowed: stratified, local, spatial");
}

std::vector<std::uint32_t> make_shard(std::span<const Sample> samples, ShardKind kind,
                                      std::uint64_t seed, int units, int unit) {
  check(samples.size(), units, unit);
  if (kind == ShardKind::spatial) return run(samples.size(), units, unit);
  const auto n = static_cast<std::size_t>(units), u = static_cast<std::size_t>(unit);
  return kind == ShardKind::local ? local(samples, n, u) : stratified(samples, seed, n, u);
}

std::vector<std::int64_t> shard_sizes(std::size_t samples, int units) {
  check(samples, units, 0);
  std::vector<std::int64_t> sizes;
  for (int unit = 0; unit < units; ++unit) {
    const std::size_t size = run_begin(samples, units, unit + 1) - run_begin(samples, units, unit);
    sizes.push_back(static_cast<std::int64_t>(size));
  }
  return sizes;
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
  check(samples.size(), units, unit);
  return run(samples.size(), units, unit);
}

}  // namespace oida
