#include "oida/interleave.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace oida::test {
namespace {

/// Two cold measurements that must not count, then `warm`.
std::vector<double> measured(std::vector<double> warm) {
  warm.insert(warm.begin(), {9.0, 9.0});
  return warm;
}

TEST(InterleaveTest, AFastNetworkGetsOne) {
  EXPECT_EQ(
      smallest_hiding_interleave(measured({0.010, 0.011, 0.012}), measured({0.020, 0.020, 0.021})),
      1);
}

TEST(InterleaveTest, ComputeIsAtLeastAQuarterLongerThanTheExchange) {
  // 1.25 x 0.100 s = 0.125 s of compute: 7 steps of 0.020 s, not 6.
  EXPECT_EQ(smallest_hiding_interleave(measured(std::vector<double>(20, 0.100)),
                                       measured(std::vector<double>(20, 0.020))),
            7);
}

TEST(InterleaveTest, SlowExchangesCountMedianStepsCount) {
  std::vector<double> exchange(20, 0.010);
  exchange[4] = exchange[7] = 0.080;  // the 95th percentile is a slow one
  std::vector<double> step(20, 0.050);
  step[3] = 5.0;  // one stolen core does not
  EXPECT_EQ(smallest_hiding_interleave(measured(exchange), measured(step)), 2);
}

TEST(InterleaveTest, CostsOfAnExchangeAreSpreadOverMoreSteps) {
  // 0.02 of two steps' round is 2/98 x 2 steps, 99 of which are 4.04 steps.
  EXPECT_EQ(interleave_for_cost(2, 0.02), 5);
  EXPECT_EQ(interleave_for_cost(5, 0.011), 6);
  EXPECT_EQ(interleave_for_cost(1, 0.5), Interleave::kMostForCost);
  EXPECT_EQ(interleave_for_cost(50, 1.0), Interleave::kMostForCost);
}

TEST(InterleaveTest, IsBounded) {
  EXPECT_EQ(smallest_hiding_interleave(measured({100.0}), measured({0.001})),
            Interleave::kMostSteps);
}

TEST(InterleaveTest, TheWidestWireOfTheFewestStepsIsKept) {
  EXPECT_EQ(best_wire({{Wire::fp32, 1}}), std::pair(Wire::fp32, 1));
  EXPECT_EQ(best_wire({{Wire::fp32, 9}, {Wire::bf16, 5}, {Wire::int8, 3}, {Wire::int4, 3}}),
            std::pair(Wire::int8, 3));
}

TEST(InterleaveTest, ReplaysTheWires) {
  const auto interleave = Interleave::replay({{0, 1}}, {{0, Wire::fp32}, {12, Wire::int8}});
  EXPECT_EQ(interleave.wire(11), Wire::fp32);
  EXPECT_EQ(interleave.wire(12), Wire::int8);
}

TEST(InterleaveTest, ReplaysAPlan) {
  const auto interleave = Interleave::replay({{0, 1}, {12, 4}, {50, 2}});
  EXPECT_EQ(interleave.steps(0), 1);
  EXPECT_EQ(interleave.steps(11), 1);
  EXPECT_EQ(interleave.steps(12), 4);
  EXPECT_EQ(interleave.steps(49), 4);
  EXPECT_EQ(interleave.steps(50), 2);
  EXPECT_EQ(interleave.tuning_rounds(), 0);
}

}  // namespace
}  // namespace oida::test
