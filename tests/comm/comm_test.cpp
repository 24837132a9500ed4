#include "comm/comm.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/rng.hpp"
#include "mpi_world.hpp"

namespace oida {
namespace {

Comm& world() {
  return testing::world();
}

constexpr std::size_t kSeveralChunks = (std::size_t{33} << 20) + 5;

std::string text_of(int rank) {
  return std::string(static_cast<std::size_t>(rank) * 3, static_cast<char>('a' + rank));
}

TEST(Comm, BroadcastReachesAllFromEachRoot) {
  for (int root = 0; root < world().size(); ++root) {
    std::vector<int> values(5, world().rank());
    world().broadcast_values(values, root);
    EXPECT_EQ(values, std::vector<int>(5, root));
    EXPECT_EQ(world().broadcast(text_of(world().rank()), root), text_of(root));
  }
}

TEST(Comm, BroadcastOfManyChunks) {
  std::vector<std::byte> bytes(kSeveralChunks);
  const auto expected = [](std::size_t i) { return static_cast<std::byte>(i * 2654435761U >> 13); };
  if (world().rank() == 0) {
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = expected(i);
  }
  world().broadcast(bytes, 0);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) wrong += bytes[i] != expected(i) ? 1 : 0;
  EXPECT_EQ(wrong, 0U);
}

TEST(Comm, SumsAndMaxima) {
  const int n = world().size();
  const int rank = world().rank();
  std::array<double, 2> sums{static_cast<double>(rank + 1), 0.5};
  world().sum(sums);
  EXPECT_EQ(sums[0], n * (n + 1) / 2);
  EXPECT_EQ(sums[1], 0.5 * n);

  const std::int64_t big = (std::int64_t{1} << 60) + rank;
  std::array<std::int64_t, 1> wholes{n > 4 ? rank : big};
  world().sum(wholes);
  EXPECT_EQ(wholes[0], n * (std::int64_t{1} << 60) + n * (n - 1) / 2);

  std::array<double, 2> top{static_cast<double>(-rank), static_cast<double>(rank)};
  world().maximum(top);
  EXPECT_EQ(top[0], 0.0);
  EXPECT_EQ(top[1], n - 1);
}

TEST(Comm, SumsHaveTheSameBitsOnAllRanks) {
  std::vector<double> values(10'007);
  Random random(1, Purpose::test, static_cast<std::uint64_t>(world().rank()));
  for (double& value : values) value = random.normal();
  world().sum(values);
  std::vector<double> first = values;
  world().broadcast_values(first, 0);
  EXPECT_EQ(values, first);
}

TEST(Comm, SumOfManyChunks) {
  std::vector<std::int64_t> values(kSeveralChunks / sizeof(std::int64_t));
  std::iota(values.begin(), values.end(), world().rank());
  world().sum(values);
  const std::int64_t n = world().size();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    wrong += values[i] != n * static_cast<std::int64_t>(i) + n * (n - 1) / 2 ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0U);
}

TEST(Comm, GatherKeepsRankOrderAndLengths) {
  const std::vector<std::string> texts = world().gather(text_of(world().rank()));
  if (world().rank() != 0) {
    EXPECT_TRUE(texts.empty());
    return;
  }
  ASSERT_EQ(texts.size(), static_cast<std::size_t>(world().size()));
  for (int r = 0; r < world().size(); ++r)
    EXPECT_EQ(texts[static_cast<std::size_t>(r)], text_of(r));
}

TEST(Comm, GatherOfManyChunks) {
  const auto own = static_cast<std::byte>(world().rank() + 1);
  std::vector<std::byte> bytes(kSeveralChunks + static_cast<std::size_t>(world().rank()), own);
  bytes.back() = std::byte{99};
  const std::vector<std::vector<std::byte>> all = world().gather(bytes);
  for (std::size_t r = 0; r < all.size(); ++r) {
    ASSERT_EQ(all[r].size(), kSeveralChunks + r);
    EXPECT_EQ(all[r].back(), std::byte{99});
    EXPECT_EQ(std::count(all[r].begin(), all[r].end(), static_cast<std::byte>(r + 1)),
              static_cast<std::ptrdiff_t>(all[r].size() - 1));
  }
}

TEST(Comm, AllGatherReachesAll) {
  const std::vector<std::string> texts = world().all_gather(text_of(world().rank()));
  ASSERT_EQ(texts.size(), static_cast<std::size_t>(world().size()));
  for (int r = 0; r < world().size(); ++r)
    EXPECT_EQ(texts[static_cast<std::size_t>(r)], text_of(r));
}

TEST(Comm, PlacementNamesEachRank) {
  const std::vector<Placement>& table = world().placement();
  ASSERT_EQ(table.size(), static_cast<std::size_t>(world().size()));
  std::array<char, 256> host{};
  ASSERT_EQ(gethostname(host.data(), host.size() - 1), 0);
  const Placement& own = table[static_cast<std::size_t>(world().rank())];
  EXPECT_EQ(own.rank, world().rank());
  EXPECT_EQ(std::string(host.data()).substr(0, own.host.size()), own.host);
  EXPECT_FALSE(own.cores.empty());
  EXPECT_EQ(table.front().node, 0);
  EXPECT_EQ(table.front().node_rank, 0);
  for (const Placement& place : table) {
    EXPECT_LT(place.node_rank, place.node_ranks);
    const auto same = [&](const Placement& other) { return other.node == place.node; };
    EXPECT_EQ(std::count_if(table.begin(), table.end(), same), place.node_ranks);
  }
}

TEST(Comm, VersionHasANameAndANumber) {
  const std::string version = mpi_version();
  EXPECT_EQ(version.find_first_of("\n\t:"), std::string::npos) << version;
  EXPECT_NE(version.find_first_of("0123456789"), std::string::npos) << version;
}

}  // namespace
}  // namespace oida
