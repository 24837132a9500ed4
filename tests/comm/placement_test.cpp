#include "comm/placement.hpp"

#include <gtest/gtest.h>
#include <sched.h>

namespace oida {

TEST(Placement, NodesAreNumberedInOrderOfTheirFirstRank) {
  // Ranks dealt to the nodes c, a, b in turn, the last rank on c: leaders are ranks 0, 1, 2.
  std::vector<Placement> table(7);
  number_nodes(table, {0, 1, 2, 0, 1, 2, 0});
  const std::vector<int> nodes{0, 1, 2, 0, 1, 2, 0};
  const std::vector<int> node_rank{0, 0, 0, 1, 1, 1, 2};
  const std::vector<int> node_ranks{3, 2, 2, 3, 2, 2, 3};
  for (std::size_t r = 0; r < table.size(); ++r) {
    EXPECT_EQ(table[r].rank, static_cast<int>(r));
    EXPECT_EQ(table[r].node, nodes[r]) << r;
    EXPECT_EQ(table[r].node_rank, node_rank[r]) << r;
    EXPECT_EQ(table[r].node_ranks, node_ranks[r]) << r;
  }
}

TEST(Placement, AllowedCoresFollowTheAffinityMask) {
  const std::vector<int> before = allowed_cores();
  ASSERT_FALSE(before.empty());
  cpu_set_t old;
  ASSERT_EQ(sched_getaffinity(0, sizeof old, &old), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(before.back()), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(allowed_cores(), std::vector<int>{before.back()});
  ASSERT_EQ(sched_setaffinity(0, sizeof old, &old), 0);
  EXPECT_EQ(allowed_cores(), before);
}

}  // namespace oida
