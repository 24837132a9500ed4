// Exchange rules whose sums are rounded between nodes.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "oida/rule_kit.hpp"

namespace oida::test {
namespace {

/// Where rounding is fed back, a lossy wire also stays about as near to the plain sum as its last
/// roundings are large; without feedback they would add up over the rounds.
struct LossyCase {
  ExchangeKind exchange;
  Wire wire;
  double near;  // share of the largest parameter
};

class LossyWireTest : public ::testing::TestWithParam<LossyCase> {
 protected:
  static std::vector<float> simulated(const Problem& problem, ExchangeKind exchange, Wire wire) {
    Simulation options = simulation(1);
    options.wire = wire;
    if (exchange == ExchangeKind::allreduce) return simulate_gradient_mean(problem, options);
    if (exchange == ExchangeKind::local) return simulate_local_mean(problem, options);
    return own(simulate_delayed_mean(problem, options));
  }
};

TEST_P(LossyWireTest, EqualsTheSerialSimulationOfItsRounding) {
  const auto [exchange, wire, near] = GetParam();
  const Problem problem;
  RuleOptions options = rule_options(exchange);
  options.wire = wire;
  options.ranks_per_node = 1;
  RuleKit kit(problem, options);
  kit.train(50, 1);
  expect_close(kit.x(), simulated(problem, exchange, wire));
  const auto plain = simulated(problem, exchange, Wire::fp32);
  EXPECT_LT(distance(kit.x(), plain), near * magnitude(plain));
}

INSTANTIATE_TEST_SUITE_P(Rules, LossyWireTest,
                         ::testing::Values(LossyCase{ExchangeKind::oida, Wire::bf16, 2e-3},
                                           LossyCase{ExchangeKind::oida, Wire::int8, 2e-3},
                                           LossyCase{ExchangeKind::oida, Wire::int4, 3e-2},
                                           LossyCase{ExchangeKind::local, Wire::int8, 2e-3},
                                           LossyCase{ExchangeKind::local, Wire::int4, 3e-2},
                                           LossyCase{ExchangeKind::allreduce, Wire::bf16, 2e-3},
                                           LossyCase{ExchangeKind::allreduce, Wire::int8, 5e-3}));

TEST(LossyWireTest, IsTakenUpBetweenTheRoundsOfARun) {
  const Problem problem;
  RuleOptions options = rule_options();
  options.ranks_per_node = 1;
  RuleKit kit(problem, options);
  kit.train(25, 1);
  kit.rule().use(Wire::int8);
  kit.train(25, 1);
  const auto expected = own(simulate_delayed_mean(problem, simulation(1)));
  EXPECT_LT(distance(kit.x(), expected), 2e-3 * magnitude(expected));
}

RuleOptions between_nodes(ExchangeKind exchange, Wire wire) {
  RuleOptions options = rule_options(exchange);
  options.wire = wire;
  options.ranks_per_node = 1;
  return options;
}

TEST(LossyMeanTest, TheFinalOneTravelsAsItIs) {
  const Problem problem;
  for (const auto kind : {ExchangeKind::oida, ExchangeKind::local}) {
    RuleKit kit(problem, between_nodes(kind, Wire::int4));
    kit.train(5, 2);
    std::vector<double> mean(kit.x().begin(), kit.x().end());
    world().sum(mean);
    kit.rule().final_mean({});
    for (std::size_t i = 0; i < mean.size(); ++i) {
      EXPECT_NEAR(kit.x()[i], mean[i] / world().size(), 2e-6) << i;
    }
  }
}

/// Where the last mean were still the base, the way from it would be rounded.
TEST(LossyMeanTest, StartsAnewFromTheParametersAfterARestart) {
  const Problem problem;
  RuleKit kit(problem, between_nodes(ExchangeKind::oida, Wire::int4));
  kit.train(5, 2);
  for (std::size_t i = 0; i < kit.x().size(); ++i) {
    kit.x()[i] = std::sin(static_cast<float>(i));
  }
  const std::vector<float> given(kit.x().begin(), kit.x().end());
  kit.rule().restart();
  kit.rule().begin({});
  kit.rule().end();
  kit.rule().settle();
  EXPECT_TRUE(std::ranges::equal(kit.rule().agreed(), given));
}

}  // namespace
}  // namespace oida::test
