#include "comm/chunks.hpp"

#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace oida {
namespace {

Nodes nodes_with(int count, int lanes) {
  Nodes nodes;
  nodes.count = count;
  nodes.lanes = lanes;
  nodes.ranks = lanes;
  return nodes;
}

std::vector<Placement> hosts(const std::vector<int>& host_of_rank) {
  std::vector<Placement> table;
  std::map<int, int> seen;
  for (const int host : host_of_rank) {
    Placement place;
    place.rank = static_cast<int>(table.size());
    place.node = host;
    place.node_rank = seen[host]++;
    table.push_back(place);
  }
  return table;
}

TEST(NodesTest, LanesAreTheRanksOfTheSmallestNode) {
  const std::vector<Placement> table = hosts({0, 1, 0, 1, 0});
  const Nodes nodes = nodes_of(table, 2, 0);
  EXPECT_EQ(nodes.count, 2);
  EXPECT_EQ(nodes.own, 0);
  EXPECT_EQ(nodes.rank, 1);
  EXPECT_EQ(nodes.ranks, 3);
  EXPECT_EQ(nodes.lanes, 2);
  EXPECT_EQ(nodes.peers, (std::vector<int>{2, 3}));
  EXPECT_FALSE(nodes_of(table, 4, 0).carries());
}

TEST(NodesTest, HostsAreCutIntoNodes) {
  const Nodes nodes = nodes_of(hosts({0, 0, 0, 0, 1, 1}), 3, 2);
  EXPECT_EQ(nodes.count, 3);
  EXPECT_EQ(nodes.own, 1);
  EXPECT_EQ(nodes.rank, 1);
  EXPECT_EQ(nodes.peers, (std::vector<int>{1, 3, 5}));
}

class ChunksTest : public ::testing::TestWithParam<std::pair<int, int>> {};

INSTANTIATE_TEST_SUITE_P(NodesAndLanes, ChunksTest,
                         ::testing::Values(std::pair(1, 1), std::pair(1, 8), std::pair(2, 1),
                                           std::pair(3, 2), std::pair(64, 1), std::pair(5, 7)));

TEST_P(ChunksTest, EachFloatOnceAndNoTagTwice) {
  const auto [count, lanes] = GetParam();
  for (const Wire wire : {Wire::fp32, Wire::int4}) {
    const Grid grid(nodes_with(count, lanes), wire, 50'000'000);
    for (const std::size_t size : {0U, 1U, 5U, 257U, 100'003U, 40'000'001U}) {
      std::set<std::tuple<int, int, int>> tags;
      std::size_t next = 0;
      for (const Chunk& chunk : grid.cut({size, 6, 0})) {
        EXPECT_EQ(chunk.begin, next);
        EXPECT_GT(chunk.count, 0U);
        next += chunk.count;
        EXPECT_LT(chunk.lane, lanes);
        EXPECT_LT(chunk.owner, count);
        EXPECT_LT(chunk.tag, kChunkTags);
        EXPECT_TRUE(tags.emplace(chunk.lane, chunk.owner, chunk.tag).second);
      }
      EXPECT_EQ(next, size);
    }
  }
}

TEST_P(ChunksTest, RemaindersBelongToPositionsAndDoNotMeet) {
  const auto [count, lanes] = GetParam();
  const Grid grid(nodes_with(count, lanes), Wire::int8, 100'000);
  if (count == 1) {
    EXPECT_EQ(grid.remainders(0), 0U) << "nothing is rounded inside a node";
    return;
  }
  std::map<std::pair<int, std::size_t>, std::size_t> position_of;
  for (const std::size_t first : {0U, 30'001U, 77'777U}) {
    const std::size_t last = first == 0 ? 30'001 : first == 30'001 ? 77'777 : 100'000;
    for (const Chunk& chunk : grid.cut({last - first, 0, first})) {
      ASSERT_LE(chunk.remainder + chunk.count, grid.remainders(chunk.lane));
      for (std::size_t i = 0; i < chunk.count; ++i) {
        const std::pair<int, std::size_t> place(chunk.lane, chunk.remainder + i);
        ASSERT_TRUE(position_of.emplace(place, first + chunk.begin + i).second);
      }
    }
  }
  for (const Chunk& chunk : grid.cut({100'000, 0, 0})) {
    for (std::size_t i = 0; i < chunk.count; ++i) {
      ASSERT_EQ(position_of.at({chunk.lane, chunk.remainder + i}), chunk.begin + i);
    }
  }
}

TEST(GridTest, WordsAtTheEndAreExact) {
  const Grid grid(nodes_with(4, 2), Wire::int4, 1000);
  const std::vector<Chunk> chunks = grid.cut({1006, 6, 0});
  ASSERT_FALSE(chunks.empty());
  EXPECT_EQ(chunks.back().wire, Wire::fp32);
  EXPECT_EQ(chunks.back().begin, 1000U);
  EXPECT_EQ(chunks.back().count, 6U);
  for (std::size_t k = 0; k + 1 < chunks.size(); ++k) EXPECT_EQ(chunks[k].wire, Wire::int4);
}

TEST(GridTest, BytesFallWithTheWire) {
  constexpr std::size_t kFloats = 931'048;
  const Shape shape{kFloats + 6, 6, 0};
  for (const int node : {0, 3}) {
    const auto bytes = [&](Wire wire) {
      return static_cast<double>(Grid(nodes_with(4, 2), wire, kFloats).bytes_sent(node, shape));
    };
    EXPECT_GE(bytes(Wire::fp32) / bytes(Wire::bf16), 1.99);
    EXPECT_GE(bytes(Wire::fp32) / bytes(Wire::int8), 3.9);
    EXPECT_GE(bytes(Wire::fp32) / bytes(Wire::int4), 7.5);
  }
}

TEST(GridTest, FloatsBeyondTheGridAreRefused) {
  const Grid grid(nodes_with(2, 1), Wire::int8, 1000);
  EXPECT_NO_THROW(grid.check({506, 6, 500}));
  EXPECT_THROW(grid.check({506, 5, 500}), Error);
}

}  // namespace
}  // namespace oida
