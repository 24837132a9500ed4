// Every exchange rule against a serial simulation of the same rule.

#include "oida/exchange_rule.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "host_card.hpp"
#include "mpi_world.hpp"
#include "oida/simulator.hpp"

namespace oida::test {
namespace {

using oida::testing::world;

constexpr int kBatch = 12;
constexpr float kRate = 0.02F;

RuleOptions rule_options(ExchangeKind exchange = ExchangeKind::oida) {
  RuleOptions options;
  options.exchange = exchange;
  options.share = 1.0F / static_cast<float>(world().size());
  return options;
}

Simulation simulation(int interleave) {
  Simulation options;
  options.units = world().size();
  options.batch = kBatch;
  options.rate = kRate;
  options.interleave = interleave;
  return options;
}

/// This rank's unit with a rule of its own.
class RuleKit {
 public:
  RuleKit(const Problem& problem, const RuleOptions& options,
          const std::string& engine = "reference")
      : kit_(problem, world().size(), world().rank(), kBatch, 7, engine),
        scorer_(kit_.engine(), problem.store, problem.validation) {
    RuleOptions with_scorer = options;
    with_scorer.scorer = &scorer_;
    rule_ = make_rule(with_scorer, kit_.unit(), world());
    rule_->restart();
  }

  /// Rounds of `interleave` steps; every `settle_every`-th merge is not left to the next round.
  void train(int rounds, int interleave, int settle_every = 0) {
    for (int round = 1; round <= rounds; ++round) {
      rule_->begin({});
      for (int k = 0; k < interleave; ++k) rule_->step(step_++, kRate);
      rule_->end();
      if (settle_every > 0 && round % settle_every == 0) rule_->settle();
    }
    rule_->settle();
  }

  ExchangeRule& rule() { return *rule_; }
  /// In canonical order.
  std::vector<float> canonical(std::span<const float> flat) {
    std::vector<float> values(parameter_count(kit_.engine().network()));
    kit_.engine().export_flat(flat, values);
    return values;
  }
  std::span<float> x() { return kit_.unit().x(); }

 private:
  UnitKit kit_;
  Scorer scorer_;
  std::unique_ptr<ExchangeRule> rule_;
  std::uint64_t step_ = 0;
};

const std::vector<float>& own(const Arrays& arrays) {
  return arrays[static_cast<std::size_t>(world().rank())];
}

void expect_close(std::span<const float> found, const std::vector<float>& expected) {
  EXPECT_LT(distance(found, expected), 1e-5 * magnitude(expected));
}

/// What lies between the cards that compute on the host, with or without a fault of the last unit.
class UnitsByMpi final : public Units {
 public:
  enum class Fault { none, join, sum };
  explicit UnitsByMpi(Fault fault, bool everywhere = true) : fault_(fault) {
    if (everywhere || !is_last()) HostCard::units = this;
  }
  UnitsByMpi(const UnitsByMpi&) = delete;
  UnitsByMpi& operator=(const UnitsByMpi&) = delete;
  ~UnitsByMpi() override { HostCard::units = nullptr; }

  void join(const std::string& invitation, int rank, int size) override {
    EXPECT_EQ(invitation, "come");
    EXPECT_EQ(rank, world().rank());
    EXPECT_EQ(size, world().size());
    if (fault_ == Fault::join && is_last()) throw Error("fake", "no peer access");
  }
  void sum(std::span<float> values) override {
    std::vector<double> sums(values.begin(), values.end());
    world().sum(sums);
    std::ranges::transform(sums, values.begin(), [](double v) { return static_cast<float>(v); });
    if (fault_ == Fault::sum && is_last()) values.back() += 1.0F;
    ++sums_;
  }
  int sums() const { return sums_; }

 private:
  static bool is_last() { return world().rank() == world().size() - 1; }

  Fault fault_;
  int sums_ = 0;
};

class DelayedMeanTest : public ::testing::TestWithParam<int> {};

TEST_P(DelayedMeanTest, EqualsTheSerialSimulation) {
  const Problem problem;
  RuleKit kit(problem, rule_options());
  kit.train(50, GetParam());
  expect_close(kit.x(), own(simulate_delayed_mean(problem, simulation(GetParam()))));
}

/// Parameters that stay with the engine are sent from there and merged there.
TEST_P(DelayedMeanTest, OnCardsEqualsTheSerialSimulation) {
  const Problem problem;
  const auto expected = own(simulate_delayed_mean(problem, simulation(GetParam())));
  for (const char* engine : {"card", "mixed"}) {
    RuleKit kit(problem, rule_options(), engine);
    kit.train(50, GetParam(), 7);
    expect_close(kit.canonical(kit.x()), expected);
  }
}

TEST_P(DelayedMeanTest, OnCardsAgreesOnItsFinalMean) {
  const Problem problem;
  RuleKit plain(problem, rule_options());
  plain.train(9, GetParam());
  plain.rule().final_mean({});
  for (const char* engine : {"card", "mixed"}) {
    RuleKit kit(problem, rule_options(), engine);
    kit.train(9, GetParam());
    ControlWords words;
    words.train_loss = 1.0F;
    EXPECT_EQ(kit.rule().final_mean(words).train_loss, static_cast<float>(world().size()));
    expect_close(kit.canonical(kit.x()), plain.canonical(plain.x()));
    EXPECT_TRUE(std::ranges::equal(kit.rule().agreed(), kit.x()));
    EXPECT_TRUE(kit.rule().agreed_is_finite());
  }
}

TEST_P(DelayedMeanTest, CardsThatSumAmongThemselvesEqualTheSerialSimulation) {
  const Problem problem;
  UnitsByMpi units(UnitsByMpi::Fault::none);
  RuleKit kit(problem, rule_options(), "card");
  kit.train(50, GetParam(), 7);
  expect_close(kit.canonical(kit.x()), own(simulate_delayed_mean(problem, simulation(GetParam()))));
  if (world().size() == 1) return;
  EXPECT_EQ(kit.rule().way(), "host");
  EXPECT_EQ(units.sums(), 51);  // a test, and every round
  EXPECT_GE(kit.rule().flight_end_s(), kit.rule().flight_start_s());
  ControlWords words;
  words.train_loss = 1.0F;
  EXPECT_EQ(kit.rule().final_mean(words).train_loss, static_cast<float>(world().size()));
  EXPECT_TRUE(std::ranges::equal(kit.rule().agreed(), kit.x()));
}

TEST(ExchangeWayTest, IsThroughTheHostsWhereCardsCannotSum) {
  using Fault = UnitsByMpi::Fault;
  if (world().size() == 1) GTEST_SKIP() << "one unit exchanges nothing";
  const Problem problem;
  const auto expected = own(simulate_delayed_mean(problem, simulation(1)));
  struct Case {
    Fault fault;
    bool everywhere;
    std::string said;
  };
  for (const Case& of : {Case{Fault::join, true, "no peer access"},
                         Case{Fault::sum, true, "a sum of"}, Case{Fault::none, false, ""}}) {
    UnitsByMpi units(of.fault, of.everywhere);
    std::vector<std::string> said;
    RuleOptions options = rule_options();
    options.say = [&](const std::string& line) { said.push_back(line); };
    RuleKit kit(problem, options, "card");
    kit.train(50, 1);
    expect_close(kit.canonical(kit.x()), expected);
    EXPECT_EQ(kit.rule().way(), "host memory");
    ASSERT_EQ(said.size(), of.said.empty() ? 0U : 1U);
    if (said.empty()) continue;
    EXPECT_NE(said.front().find(of.said), std::string::npos) << said.front();
    EXPECT_NE(said.front().find("; units exchange through host memory"), std::string::npos);
  }
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

/// Rounding is fed back, so that a lossy wire stays about as near to the plain sum as its last
/// roundings are large; without feedback they would add up over the rounds.
struct LossyCase {
  ExchangeKind exchange;
  Wire wire;
  double near;  // share of the largest parameter
};

class LossyWireTest : public ::testing::TestWithParam<LossyCase> {};

TEST_P(LossyWireTest, StaysNearTheSerialSimulation) {
  const Problem problem;
  RuleOptions options = rule_options(GetParam().exchange);
  options.wire = GetParam().wire;
  options.ranks_per_node = 1;
  RuleKit kit(problem, options);
  kit.train(50, 1);
  const auto expected = GetParam().exchange == ExchangeKind::allreduce
                            ? simulate_gradient_mean(problem, simulation(1))
                        : GetParam().exchange == ExchangeKind::local
                            ? simulate_local_mean(problem, simulation(1))
                            : own(simulate_delayed_mean(problem, simulation(1)));
  EXPECT_LT(distance(kit.x(), expected), GetParam().near * magnitude(expected));
}

INSTANTIATE_TEST_SUITE_P(Rules, LossyWireTest,
                         ::testing::Values(LossyCase{ExchangeKind::oida, Wire::bf16, 2e-3},
                                           LossyCase{ExchangeKind::oida, Wire::int8, 2e-3},
                                           LossyCase{ExchangeKind::oida, Wire::int4, 3e-2},
                                           LossyCase{ExchangeKind::local, Wire::int8, 2e-3},
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
  for (const auto kind : {ExchangeKind::oida, ExchangeKind::allreduce, ExchangeKind::local}) {
    RuleKit kit(problem, rule_options(kind));
    ControlWords words;
    words.stop = world().rank() == 0 ? 1.0F : 0.0F;
    words.train_loss = 2.0F;
    kit.rule().begin(words);
    kit.rule().step(0, kRate);
    const auto sums = kit.rule().end();
    EXPECT_EQ(sums.stop, 1.0F);
    EXPECT_EQ(sums.train_loss, 2.0F * static_cast<float>(world().size()));
    EXPECT_EQ(sums.checkpoint, 0.0F);
  }
}

TEST(FinalMeanTest, LeavesTheSameBitsOnEveryUnit) {
  const Problem problem;
  for (const auto kind : {ExchangeKind::oida, ExchangeKind::local}) {
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
        Named{ExchangeKind::oida, "card"}}) {
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
