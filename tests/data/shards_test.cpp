#include "data/shards.hpp"

#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "scenes.hpp"

namespace oida {
namespace {

constexpr int kClasses = 5;

const Split& split() {
  static const Split made = make_split({test::fields(83, 131, kClasses, 4)}, kClasses,
                                       {SplitOptions::Kind::blocks, 16, -1, 0.1, 0.3, 0, 5, 1});
  return made;
}

std::vector<std::vector<std::uint32_t>> shards(ShardKind kind, int units) {
  std::vector<std::vector<std::uint32_t>> all;
  for (int unit = 0; unit < units; ++unit) {
    all.push_back(make_shard(split().training, kind, 9, units, unit));
  }
  return all;
}

TEST(Shards, AreDisjointAndCoverTheSamples) {
  for (const ShardKind kind : {ShardKind::stratified, ShardKind::local, ShardKind::spatial}) {
    for (const int units : {1, 2, 3, 7, 64}) {
      std::vector<int> seen(split().training.size());
      for (const auto& shard : shards(kind, units)) {
        EXPECT_TRUE(std::is_sorted(shard.begin(), shard.end()));
        for (const std::uint32_t index : shard) ++seen.at(index);
      }
      EXPECT_EQ(seen, std::vector<int>(seen.size(), 1)) << units;
    }
  }
}

TEST(Shards, SizesAreKnownBeforehandAndDifferByOne) {
  for (const ShardKind kind : {ShardKind::stratified, ShardKind::local, ShardKind::spatial}) {
    for (const int units : {1, 2, 3, 7, 64}) {
      const auto sizes = shard_sizes(split().training.size(), units);
      const auto all = shards(kind, units);
      ASSERT_EQ(sizes.size(), all.size());
      for (std::size_t u = 0; u < all.size(); ++u) {
        EXPECT_EQ(sizes[u], static_cast<std::int64_t>(all[u].size()));
        EXPECT_LE(std::abs(sizes[u] - sizes[0]), 1);
      }
    }
  }
}

TEST(Shards, StratifiedClassCountsDifferByOne) {
  for (const int units : {2, 3, 7}) {
    std::vector<std::vector<int>> counts(kClasses);
    for (const auto& shard : shards(ShardKind::stratified, units)) {
      for (auto& of_class : counts) of_class.push_back(0);
      for (const std::uint32_t index : shard) ++counts[split().training[index].label].back();
    }
    for (const auto& of_class : counts) {
      const auto [least, most] = std::minmax_element(of_class.begin(), of_class.end());
      EXPECT_LE(*most - *least, 1) << units;
    }
  }
}

// Runs of each class: what unit u has of a class comes before what unit u + 1 has.
TEST(Shards, LocalAreAsStratifiedByClassAndLieTogether) {
  for (const int units : {2, 3, 7}) {
    const auto local = shards(ShardKind::local, units);
    const auto stratified = shards(ShardKind::stratified, units);
    std::vector<std::int64_t> last(kClasses, -1);
    for (std::size_t unit = 0; unit < local.size(); ++unit) {
      std::vector<int> balance(kClasses);
      for (const std::uint32_t index : stratified[unit]) {
        --balance[split().training[index].label];
      }
      for (const std::uint32_t index : local[unit]) {
        const std::uint8_t label = split().training[index].label;
        ++balance[label];
        EXPECT_GT(std::int64_t{index}, last[label]);
        last[label] = index;
      }
      EXPECT_EQ(balance, std::vector<int>(kClasses)) << unit << " of " << units;
    }
  }
}

TEST(Shards, StratifiedIsShuffledByTheSeed) {
  const auto a = make_shard(split().training, ShardKind::stratified, 9, 2, 0);
  EXPECT_EQ(a, make_shard(split().training, ShardKind::stratified, 9, 2, 0));
  EXPECT_NE(a, make_shard(split().training, ShardKind::stratified, 10, 2, 0));
}

TEST(Shards, SpatialAndEvaluationSharesAreConsecutiveRuns) {
  for (const int units : {1, 3, 7}) {
    std::uint32_t next = 0;
    for (int unit = 0; unit < units; ++unit) {
      const auto run = make_shard(split().training, ShardKind::spatial, 9, units, unit);
      EXPECT_EQ(run, evaluation_share(split().training, units, unit));
      for (const std::uint32_t index : run) ASSERT_EQ(index, next++);
    }
    EXPECT_EQ(next, split().training.size());
  }
}

// Contiguous by block: neighbours share at most the block that the cut goes through.
TEST(Shards, EvaluationSharesReadFewBlocks) {
  constexpr int kUnits = 5;
  std::size_t reads = 0;
  std::set<std::uint32_t> blocks;
  for (int unit = 0; unit < kUnits; ++unit) {
    std::set<std::uint32_t> own;
    for (const std::uint32_t i : evaluation_share(split().test, kUnits, unit)) {
      own.insert(split().test[i].block);
    }
    reads += own.size();
    blocks.merge(own);
  }
  EXPECT_LE(reads, blocks.size() + kUnits - 1);
}

TEST(Shards, MoreUnitsThanSamplesLeavesSomeEmpty) {
  const std::vector<Sample> two = {{0, 1, 1, 0}, {0, 1, 2, 1}};
  EXPECT_EQ(shard_sizes(2, 3), (std::vector<std::int64_t>{1, 1, 0}));
  EXPECT_TRUE(make_shard(two, ShardKind::stratified, 1, 3, 2).empty());
  EXPECT_THROW(make_shard(two, ShardKind::stratified, 1, 3, 3), Error);
  EXPECT_THROW(shard_sizes(2, 0), Error);
}

TEST(Shards, ChecksumIsXxh3OverSceneRowColumnLabel) {
  Split two;
  two.blocks = {{0, {0, 0, 8, 8}, Part::training}, {3, {0, 0, 8, 8}, Part::training}};
  const std::vector<Sample> samples = {{0, 1, 2, 4}, {1, 5, 6, 7}, {1, 8, 9, 10}};
  const std::vector<std::uint32_t> shard = {0, 2};
  const std::vector<std::int32_t> words = {0, 1, 2, 4, 3, 8, 9, 10};
  const auto sum = shard_checksum(two, samples, shard);
  EXPECT_EQ(sum, checksum(std::span<const std::int32_t>(words)));
  const std::vector<std::uint32_t> other = {0, 1};
  EXPECT_NE(sum, shard_checksum(two, samples, other));
}

TEST(Shards, KindsHaveNames) {
  EXPECT_EQ(shard_kind("stratified"), ShardKind::stratified);
  EXPECT_EQ(shard_kind("local"), ShardKind::local);
  EXPECT_EQ(shard_kind("spatial"), ShardKind::spatial);
  EXPECT_THROW(shard_kind("random"), InputError);
}

TEST(Shards, WeightsGiveEveryUnitItsShareOfEveryClass) {
  const std::vector<std::int64_t> weights{5, 1, 2};
  for (const ShardKind kind : {ShardKind::stratified, ShardKind::spatial}) {
    std::vector<int> seen(split().training.size());
    const auto sizes = shard_sizes(seen.size(), weights);
    for (int unit = 0; unit < 3; ++unit) {
      const auto shard = make_shard(split().training, kind, 9, weights, unit);
      const auto at = static_cast<std::size_t>(unit);
      EXPECT_EQ(sizes[at], static_cast<std::int64_t>(shard.size()));
      const double share = static_cast<double>(weights[at]) / 8.0;
      EXPECT_NEAR(static_cast<double>(shard.size()), share * static_cast<double>(seen.size()), 1.0);
      std::vector<double> classes(kClasses), all(kClasses);
      for (const std::uint32_t index : shard) {
        ++seen.at(index);
        ++classes[split().training[index].label];
      }
      for (const Sample& sample : split().training) ++all[sample.label];
      if (kind == ShardKind::spatial) continue;
      for (std::size_t c = 0; c < kClasses; ++c) EXPECT_NEAR(classes[c], share * all[c], 2.0) << c;
    }
    EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
  }
}

TEST(Shards, EqualWeightsDealAsNoneDo) {
  const std::vector<std::int64_t> weights{4, 4, 4};
  for (const ShardKind kind : {ShardKind::stratified, ShardKind::spatial}) {
    EXPECT_EQ(make_shard(split().training, kind, 9, weights, 1), shards(kind, 3)[1]);
  }
  EXPECT_THROW(shard_sizes(10, std::vector<std::int64_t>{1, 0}), Error);
}

TEST(Shards, AWholeIsSharedOutBySpeed) {
  using Shares = std::vector<std::int64_t>;
  EXPECT_EQ(shared_out(10, std::vector<double>{1, 1, 1}), (Shares{4, 3, 3}));
  EXPECT_EQ(shared_out(64, std::vector<double>{30, 10}), (Shares{48, 16}));
  EXPECT_EQ(shared_out(10, std::vector<double>{2, 3.5, 1}), (Shares{3, 5, 2}));  // 3.1 5.4 1.5
  EXPECT_EQ(shared_out(8, std::vector<double>{1e6, 1, 1}), (Shares{6, 1, 1}));
  EXPECT_EQ(shared_out(3, std::vector<double>{1e6, 1, 1}), (Shares{1, 1, 1}));
  EXPECT_THROW(shared_out(2, std::vector<double>{1, 1, 1}), Error);
}

}  // namespace
}  // namespace oida
