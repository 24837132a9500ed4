#include "oida/staleness.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace oida::test {
namespace {

using Units = std::vector<int>;

std::vector<float> first_bins(Staleness& staleness, std::size_t count) {
  const auto bins = staleness.histogram();
  return {bins.begin(), bins.begin() + static_cast<std::ptrdiff_t>(count)};
}

TEST(StalenessTest, WithoutSlackAllWaitForTheLast) {
  Staleness staleness(3, 0);
  EXPECT_EQ(staleness.arrived(1), Units{});
  EXPECT_FALSE(staleness.computes(1));
  EXPECT_EQ(staleness.arrived(0), Units{});
  EXPECT_FALSE(staleness.even());
  EXPECT_EQ(staleness.arrived(2), (Units{0, 1, 2}));
  EXPECT_TRUE(staleness.even());
  EXPECT_EQ(first_bins(staleness, 4), (std::vector<float>{1, 1, 1, 0}));
}

TEST(StalenessTest, AUnitMayBeAheadByTheBoundAndNoMore) {
  Staleness staleness(2, 2);
  EXPECT_EQ(staleness.arrived(0), Units{0});  // 1 ahead
  EXPECT_EQ(staleness.arrived(0), Units{0});  // 2 ahead
  EXPECT_EQ(staleness.arrived(0), Units{});   // 3 ahead: waits
  EXPECT_FALSE(staleness.computes(0));
  EXPECT_EQ(staleness.arrived(1), (Units{0, 1}));  // 2 ahead again
  EXPECT_TRUE(staleness.computes(0));
}

TEST(StalenessTest, CountsTheGradientsOfOthersSinceTheAnswer) {
  Staleness staleness(2, 8);
  for (int k = 0; k < 5; ++k) staleness.arrived(0);
  staleness.arrived(1);  // five came before
  staleness.arrived(0);  // one
  EXPECT_EQ(first_bins(staleness, 7), (std::vector<float>{5, 1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(staleness.applied(), 7U);
}

TEST(StalenessTest, ItsLastBinHoldsAllBeyond) {
  Staleness staleness(2, 1000);
  for (int k = 0; k < 200; ++k) staleness.arrived(0);
  staleness.arrived(1);
  EXPECT_EQ(staleness.histogram().back(), 1.0F);
}

}  // namespace
}  // namespace oida::test
