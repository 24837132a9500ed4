// Every exchange rule against a serial simulation of the same rule.

#include "oida/exchange_rule.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include <gtest/gtest.h>

#include "oida/rule_kit.hpp"

namespace oida::test {
namespace {

class DelayedMeanTest : public ::testing::TestWithParam<int> {};

TEST_P(DelayedMeanTest, EqualsTheSerialSimulation) {
  const Problem problem;
  RuleKit kit(problem, rule_options());
  kit.train(50, GetParam());
  expect_close(kit.x(), own(simulate_delayed_mean(problem, simulation(GetParam()))));
}

TEST_P(DelayedMeanTest, HasTheSameBitsWheneverItsMergesAreMade) {
  const Problem problem;
  RuleKit left_to_begin(problem, rule_options());
  left_to_begin.train(20, GetParam());
  RuleKit settled(problem, rule_options());
  settled.train(20, GetParam(), 3);
  EXPECT_TRUE(std::ranges::equal(left_to_begin.x(), settled.x()));
}

TEST_P(DelayedMeanTest, WeighsByScoreAsTheSerialSimulation) {
  const Problem problem;
  RuleOptions options = rule_options();
  options.merge = MergeKind::weighted;
  RuleKit kit(problem, options);
  kit.train(50, GetParam());
  expect_close(kit.x(),
               own(simulate_delayed_mean(problem, simulation(GetParam()), softmax_of_negative)));
}

TEST_P(DelayedMeanTest, FollowsTheBestAsTheSerialSimulation) {
  const Problem problem;
  RuleOptions options = rule_options();
  options.merge = MergeKind::best;
  RuleKit kit(problem, options);
  kit.train(50, GetParam());
  expect_close(kit.x(), own(simulate_delayed_mean(problem, simulation(GetParam()), lowest_alone)));
}

INSTANTIATE_TEST_SUITE_P(Interleaves, DelayedMeanTest, ::testing::Values(1, 2, 4));

/// Momentum that is exchanged, too.
class MomentumTest : public ::testing::TestWithParam<std::tuple<int, Wire>> {
 protected:
  void SetUp() override {
    const auto [interleave, wire] = GetParam();
    rule_.momentum = 0.9F;
    rule_.wire = wire;
    rule_.ranks_per_node = 1;
    simulated_ = simulation(interleave);
    simulated_.wire = wire;
    simulated_.momentum = true;
  }

  const Problem problem_;
  RuleOptions rule_ = rule_options();
  Simulation simulated_;
};

INSTANTIATE_TEST_SUITE_P(Interleaves, MomentumTest,
                         ::testing::Combine(::testing::Values(1, 4),
                                            ::testing::Values(Wire::fp32, Wire::int8)));

TEST_P(MomentumTest, OfDelayedMeansEqualsTheSerialSimulation) {
  RuleKit kit(problem_, rule_);
  kit.train(50, simulated_.interleave);
  expect_close(kit.x(), own(simulate_delayed_mean(problem_, simulated_)));
}

TEST_P(MomentumTest, OfLocalMeansEqualsTheSerialSimulation) {
  rule_.exchange = ExchangeKind::local;
  RuleKit kit(problem_, rule_);
  kit.train(50, simulated_.interleave);
  expect_close(kit.x(), simulate_local_mean(problem_, simulated_));
}

TEST_P(MomentumTest, HasTheSameBitsWheneverItsMergesAreMade) {
  RuleKit left_to_begin(problem_, rule_);
  left_to_begin.train(20, simulated_.interleave);
  RuleKit settled(problem_, rule_);
  settled.train(20, simulated_.interleave, 3);
  EXPECT_TRUE(std::ranges::equal(left_to_begin.x(), settled.x()));
}

class LocalMeanTest : public ::testing::TestWithParam<int> {};

TEST_P(LocalMeanTest, EqualsTheSerialSimulation) {
  const Problem problem;
  RuleKit kit(problem, rule_options(ExchangeKind::local));
  kit.train(50, GetParam());
  expect_close(kit.x(), simulate_local_mean(problem, simulation(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Interleaves, LocalMeanTest, ::testing::Values(1, 4));

TEST(GradientMeanTest, EqualsOneUnitOnTheConcatenatedBatches) {
  const Problem problem;
  RuleKit kit(problem, rule_options(ExchangeKind::allreduce));
  kit.train(50, 1);
  expect_close(kit.x(), simulate_gradient_mean(problem, simulation(1)));
}

/// Rank 0 logs who brought gradients in which order; the simulation goes through them in that
/// order.
class ServerTest : public ::testing::TestWithParam<int> {
 protected:
  void run(int rounds, int interleave, int settle_every) {
    RuleOptions options = rule_options(ExchangeKind::server);
    options.staleness = GetParam();
    options.on_arrival = [this](int unit) { arrivals_.push_back(unit); };
    RuleKit kit(problem_, options);
    kit.train(rounds, interleave, settle_every);
    x_.assign(kit.x().begin(), kit.x().end());
    const auto late = kit.rule().staleness();
    late_.assign(late.begin(), late.end());
    std::vector<std::int64_t> count{static_cast<std::int64_t>(arrivals_.size())};
    world().broadcast_values(count, 0);
    arrivals_.resize(static_cast<std::size_t>(count.front()));
    world().broadcast_values(arrivals_, 0);
  }

  Problem problem_;
  std::vector<int> arrivals_;
  std::vector<float> x_, late_;
};

INSTANTIATE_TEST_SUITE_P(Bounds, ServerTest, ::testing::Values(0, 1, 4));

TEST_P(ServerTest, EqualsTheSerialSimulationOfItsOrderOfArrival) {
  if (world().size() == 1) GTEST_SKIP() << "for several ranks";
  run(10, 5, 0);
  const auto expected = simulate_server(problem_, simulation(1), arrivals_, GetParam());
  expect_close(x_, expected.parameters);
  EXPECT_TRUE(expected.in_turn);
  EXPECT_LE(expected.furthest, GetParam());
  EXPECT_EQ(arrivals_.size(), 50U * static_cast<std::size_t>(world().size()));
}

TEST_P(ServerTest, SettlesWithEverybodyOnTheServersParameters) {
  if (world().size() == 1) GTEST_SKIP() << "for several ranks";
  run(10, 5, 2);
  const auto expected = simulate_server(problem_, simulation(1), arrivals_, GetParam(), 10);
  expect_close(x_, expected.parameters);
  std::vector<float> first = x_;
  world().broadcast_values(first, 0);
  EXPECT_EQ(x_, first);
}

TEST_P(ServerTest, CountsHowLateGradientsWere) {
  if (world().size() == 1) GTEST_SKIP() << "for several ranks";
  run(10, 5, 0);
  if (world().rank() != 0) return;
  // In the order of arrival: gradients of others since one's own last, none of whom could be
  // answered before it was applied.
  const double gradients = std::accumulate(late_.begin(), late_.end(), 0.0);
  EXPECT_EQ(gradients, static_cast<double>(arrivals_.size()));
  EXPECT_GT(late_[0], 0.0F);
  if (GetParam() == 0) {
    // All answered together: the k-th of each step is k late.
    const auto units = static_cast<std::size_t>(world().size());
    for (std::size_t k = 0; k < late_.size(); ++k) EXPECT_EQ(late_[k], k < units ? 50.0F : 0.0F);
  }
}

TEST(OneUnitTest, IsPlainSgdBitByBit) {
  if (world().size() > 1) GTEST_SKIP() << "for one rank";
  const Problem problem;
  UnitKit plain(problem, 1, 0, kBatch);
  for (std::uint64_t step = 0; step < 60; ++step) {
    plain.unit().gradient(step, [](std::size_t) {});
    plain.unit().update(step, kRate);
  }
  RuleKit alone(problem, rule_options());
  alone.train(20, 3);
  EXPECT_TRUE(std::ranges::equal(plain.unit().x(), alone.x()));
}

TEST(ControlWordsTest, AreSummedOverTheUnits) {
  const Problem problem;
  for (const auto kind :
       {ExchangeKind::oida, ExchangeKind::allreduce, ExchangeKind::local, ExchangeKind::server}) {
    RuleKit kit(problem, rule_options(kind));
    ControlWords words;
    words.stop = world().rank() == 0 ? 1.0F : 0.0F;
    words.train_loss = 2.0F;
    kit.rule().begin(words);
    kit.rule().step(0, kRate);
    const auto sums = kit.rule().end();
    kit.rule().settle();
    EXPECT_EQ(sums.stop, 1.0F);
    EXPECT_EQ(sums.train_loss, 2.0F * static_cast<float>(world().size()));
    EXPECT_EQ(sums.checkpoint, 0.0F);
  }
}

TEST(FinalMeanTest, LeavesTheSameBitsOnEveryUnit) {
  const Problem problem;
  for (const auto kind : {ExchangeKind::oida, ExchangeKind::local, ExchangeKind::server}) {
    RuleKit kit(problem, rule_options(kind));
    kit.train(7, 2);
    kit.rule().final_mean({});
    std::vector<float> first(kit.x().begin(), kit.x().end());
    world().broadcast_values(first, 0);
    EXPECT_TRUE(std::ranges::equal(kit.x(), first));
  }
}

TEST(FinitenessTest, OneUnitsNanIsSeenByAll) {
  const Problem problem;
  using Named = std::pair<ExchangeKind, const char*>;
  for (const auto& [kind, engine] :
       {Named{ExchangeKind::oida, "reference"}, Named{ExchangeKind::local, "reference"},
        Named{ExchangeKind::server, "reference"}, Named{ExchangeKind::oida, "card"}}) {
    RuleKit kit(problem, rule_options(kind), engine);
    kit.train(2, 1);
    EXPECT_TRUE(kit.rule().agreed_is_finite());
    if (world().rank() == world().size() - 1) kit.x()[0] = std::nanf("");
    kit.rule().begin({});
    const auto sums = kit.rule().end();
    EXPECT_TRUE(sums.non_finite > 0.0F || world().size() == 1);
    EXPECT_FALSE(kit.rule().agreed_is_finite());
  }
}

TEST(FinitenessTest, OneUnitsNanGradientIsSeenByAll) {
  const Problem problem;
  RuleKit kit(problem, rule_options(ExchangeKind::allreduce));
  kit.train(2, 1);
  EXPECT_TRUE(kit.rule().agreed_is_finite());
  if (world().rank() == world().size() - 1) std::ranges::fill(kit.x(), std::nanf(""));
  kit.rule().begin({});
  kit.rule().step(2, kRate);
  kit.rule().end();
  EXPECT_FALSE(kit.rule().agreed_is_finite());
}

TEST(MergeWeightsTest, FollowTheLosses) {
  const std::vector<float> losses{1.0F, 3.0F, 0.5F, std::nanf("")};
  const double sum = std::exp(-1.0) + std::exp(-3.0) + std::exp(-0.5);
  const auto weighted = weights_of(MergeKind::weighted, losses);
  ASSERT_EQ(weighted.size(), 4U);
  EXPECT_NEAR(weighted[0], std::exp(-1.0) / sum, 1e-12);
  EXPECT_NEAR(weighted[1], std::exp(-3.0) / sum, 1e-12);
  EXPECT_EQ(weighted[3], 0.0);
  EXPECT_EQ(weights_of(MergeKind::best, losses), (std::vector<double>{0, 0, 1, 0}));
  EXPECT_EQ(weights_of(MergeKind::best, std::vector<float>{2.0F, 2.0F}),
            (std::vector<double>{1, 0}));
  EXPECT_TRUE(weights_of(MergeKind::weighted, std::vector<float>{std::nanf("")}).empty());
}

}  // namespace
}  // namespace oida::test
