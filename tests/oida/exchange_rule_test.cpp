// Every exchange rule against a serial simulation of the same rule.

#include "oida/exchange_rule.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "mpi_world.hpp"
#include "oida/simulator.hpp"

namespace oida::test {
namespace {

using oida::testing::world;

constexpr int kBatch = 12;
constexpr float kRate = 0.02F;

/// Runs `rounds` rounds of `interleave` steps of one rule on this rank.
void train(ExchangeRule& rule, int rounds, int interleave) {
  std::uint64_t step = 0;
  for (int round = 0; round < rounds; ++round) {
    rule.begin({});
    for (int k = 0; k < interleave; ++k) rule.step(step++, kRate);
    rule.end();
  }
}

class DelayedMeanTest : public ::testing::TestWithParam<int> {};

TEST_P(DelayedMeanTest, EqualsTheSerialSimulation) {
  const Problem problem;
  const int interleave = GetParam();
  UnitKit kit(problem, world().size(), world().rank(), kBatch);
  const auto exchange = world().make_exchange();
  const auto rule = make_rule(ExchangeKind::oida, kit.unit(), exchange.get(),
                              1.0F / static_cast<float>(world().size()));
  train(*rule, 50, interleave);
  const auto expected =
      simulate_delayed_mean(problem, world().size(), kBatch, 50, interleave, kRate);
  const auto& own = expected[static_cast<std::size_t>(world().rank())];
  EXPECT_LT(distance(kit.unit().x(), own), 1e-5 * magnitude(own));
}

INSTANTIATE_TEST_SUITE_P(Interleaves, DelayedMeanTest, ::testing::Values(1, 3));

TEST(GradientMeanTest, EqualsOneUnitOnTheConcatenatedBatches) {
  const Problem problem;
  UnitKit kit(problem, world().size(), world().rank(), kBatch);
  const auto exchange = world().make_exchange();
  const auto rule = make_rule(ExchangeKind::allreduce, kit.unit(), exchange.get(),
                              1.0F / static_cast<float>(world().size()));
  train(*rule, 50, 1);
  const auto expected = simulate_gradient_mean(problem, world().size(), kBatch, 50, kRate);
  EXPECT_LT(distance(kit.unit().x(), expected), 1e-5 * magnitude(expected));
}

TEST(OneUnitTest, IsPlainSgdBitByBit) {
  const Problem problem;
  UnitKit plain(problem, 1, 0, kBatch);
  for (std::uint64_t step = 0; step < 60; ++step) {
    plain.unit().gradient(step, [](std::size_t) {});
    plain.unit().update(step, kRate);
  }
  UnitKit alone(problem, 1, 0, kBatch);
  train(*make_rule(ExchangeKind::oida, alone.unit(), nullptr, 1.0F), 20, 3);
  EXPECT_TRUE(std::ranges::equal(plain.unit().x(), alone.unit().x()));
}

TEST(ControlWordsTest, AreSummedOverTheUnits) {
  const Problem problem;
  UnitKit kit(problem, world().size(), world().rank(), kBatch);
  const auto exchange = world().make_exchange();
  for (const auto kind : {ExchangeKind::oida, ExchangeKind::allreduce}) {
    const auto rule =
        make_rule(kind, kit.unit(), exchange.get(), 1.0F / static_cast<float>(world().size()));
    ControlWords words;
    words.stop = world().rank() == 0 ? 1.0F : 0.0F;
    words.train_loss = 2.0F;
    rule->begin(words);
    rule->step(0, kRate);
    const auto sums = rule->end();
    EXPECT_EQ(sums.stop, 1.0F);
    EXPECT_EQ(sums.train_loss, 2.0F * static_cast<float>(world().size()));
    EXPECT_EQ(sums.checkpoint, 0.0F);
  }
}

TEST(FinalMeanTest, LeavesTheSameBitsOnEveryUnit) {
  const Problem problem;
  UnitKit kit(problem, world().size(), world().rank(), kBatch);
  const auto exchange = world().make_exchange();
  const auto rule = make_rule(ExchangeKind::oida, kit.unit(), exchange.get(),
                              1.0F / static_cast<float>(world().size()));
  train(*rule, 7, 2);
  rule->final_mean({});
  std::vector<float> first(kit.unit().x().begin(), kit.unit().x().end());
  world().broadcast_values(first, 0);
  EXPECT_TRUE(std::ranges::equal(kit.unit().x(), first));
}

TEST(FinitenessTest, OneUnitsNanIsSeenByAll) {
  const Problem problem;
  UnitKit kit(problem, world().size(), world().rank(), kBatch);
  const auto exchange = world().make_exchange();
  const auto rule = make_rule(ExchangeKind::oida, kit.unit(), exchange.get(),
                              1.0F / static_cast<float>(world().size()));
  train(*rule, 2, 1);
  EXPECT_TRUE(rule->agreed_is_finite());
  if (world().rank() == world().size() - 1) kit.unit().x()[3] = std::nanf("");
  rule->begin({});
  rule->end();
  EXPECT_FALSE(rule->agreed_is_finite());
}

}  // namespace
}  // namespace oida::test
