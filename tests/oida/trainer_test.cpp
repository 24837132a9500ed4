// The loop as a whole: verdicts, rollbacks and stops, the same on every unit.

#include "oida/trainer.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "oida/trainer_kit.hpp"

namespace oida::test {
namespace {

/// What holds whatever the rule of exchange is.
class AnyRuleTest : public ::testing::TestWithParam<ExchangeKind> {
 protected:
  const Problem problem_;
};

INSTANTIATE_TEST_SUITE_P(Rules, AnyRuleTest,
                         ::testing::Values(ExchangeKind::oida, ExchangeKind::allreduce,
                                           ExchangeKind::local, ExchangeKind::server),
                         [](const auto& rule) { return to_string(rule.param); });

TEST_P(AnyRuleTest, LearnsAndKeepsTheBestOfItsVerdicts) {
  TrainerKit kit(problem_, 2, TrainerKit::default_guard(), GetParam());
  Trainer& trainer = kit.begin();
  const auto result = trainer.run();
  ASSERT_TRUE(result.finished);
  EXPECT_TRUE(equal_on_all_units(result.parameters));
  ASSERT_GE(trainer.metrics().size(), 5U);
  double best = 1e9;
  for (const auto& row : trainer.metrics()) {
    EXPECT_EQ(row.optimum, row.validation_loss < best);
    best = std::min(best, row.validation_loss);
  }
  EXPECT_EQ(result.optimum_loss, best);
  EXPECT_LT(best, 0.7 * std::log(3.0));
}

TEST(TrainerTest, VerdictsFallTwoRoundsAfterTheirRound) {
  const Problem problem;
  TrainerKit kit(problem, 2);
  Trainer& trainer = kit.begin();
  trainer.run();
  const auto& rows = trainer.metrics();
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    EXPECT_EQ(rows[i].round, 5 * static_cast<std::int64_t>(i) + 4) << i;
  }
  EXPECT_EQ(rows.back().round, kSteps / 2);  // the final mean
  EXPECT_EQ(rows.back().step, kSteps);
}

TEST(TrainerTest, TheMeanOfTheLastStepsIsTheLastCandidate) {
  const Problem problem;
  GuardOptions off;
  off.on = false;
  TrainerKit kit(problem, 1, off);
  kit.average(0.3);
  const auto result = kit.begin().run();
  EXPECT_TRUE(equal_on_all_units(result.parameters));
  TrainerKit plain(problem, 1, off);
  EXPECT_GT(distance(plain.begin().run().parameters, result.parameters), 1e-4);
  if (world().size() > 1) return;
  UnitKit alone(problem, 1, 0, kBatch);
  std::vector<double> sum(result.parameters.size());
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    alone.unit().train(step, 0.02F, {});
    if (step < 42) continue;
    std::vector<float> x(sum.size());
    alone.engine().export_flat(alone.unit().x(), x);
    for (std::size_t i = 0; i < x.size(); ++i) sum[i] += static_cast<double>(x[i]) / 18;
  }
  EXPECT_LT(distance(result.parameters, std::vector<float>(sum.begin(), sum.end())), 1e-6);
}

TEST_P(AnyRuleTest, OneUnitAskingToStopStopsAllAtTheSameRound) {
  TrainerKit kit(problem_, 1, TrainerKit::default_guard(), GetParam());
  int calls = 0;
  const bool asks = world().rank() == world().size() - 1;
  Trainer& trainer = kit.trainer([&] { return ++calls > 7 && asks; });
  trainer.begin(initial_parameters(smooth_network(), 1));
  const auto result = trainer.run();
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(result.rounds, 8);
}

/// Spoils the parameters of the last unit once, in the middle of a round.
class Spoiler {
 public:
  Spoiler(TrainerKit& kit, std::int64_t at_round, int times)
      : kit_(kit), at_round_(at_round), times_(times) {}

  bool operator()() {
    ++round_;
    const bool last_unit = world().rank() == world().size() - 1;
    if (last_unit && round_ >= at_round_ && times_-- > 0) {
      kit_.kit().unit().x()[1] = std::nanf("");
    }
    return false;
  }

 private:
  TrainerKit& kit_;
  std::int64_t at_round_, round_ = 0;
  int times_;
};

TEST_P(AnyRuleTest, NanOnOneUnitRollsAllBackToTheOptimum) {
  TrainerKit kit(problem_, 1, TrainerKit::default_guard(), GetParam());
  Trainer& trainer = kit.trainer(Spoiler(kit, 30, 1));
  trainer.begin(initial_parameters(smooth_network(), 1));
  const auto result = trainer.run();
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(trainer.rollbacks(), 1);
  EXPECT_FLOAT_EQ(static_cast<float>(trainer.metrics().back().learning_rate), 0.01F);
  EXPECT_TRUE(equal_on_all_units(result.parameters));
  EXPECT_TRUE(std::ranges::all_of(result.parameters, [](float x) { return std::isfinite(x); }));
  EXPECT_LT(result.optimum_loss, 0.8 * std::log(3.0));
}

TEST_P(AnyRuleTest, GivesUpAfterItsRetries) {
  GuardOptions guard = TrainerKit::default_guard();
  guard.retries = 2;
  TrainerKit kit(problem_, 1, guard, GetParam());
  Trainer& trainer = kit.trainer(Spoiler(kit, 10, 100));
  trainer.begin(initial_parameters(smooth_network(), 1));
  EXPECT_THROW(trainer.run(), AgreedError);
  EXPECT_EQ(trainer.rollbacks(), 2);
  // Spoilt by its own unit before each step from 9 on; two rollbacks, then the third time.
  const bool last_unit = world().rank() == world().size() - 1;
  EXPECT_EQ(kit.bad_step >= 9, last_unit) << kit.bad_step;
}

class DivergenceTest : public ::testing::TestWithParam<int> {};

/// Validated in every round, the verdict falls when two more candidates of the same path wait.
INSTANTIATE_TEST_SUITE_P(ValidateEvery, DivergenceTest, ::testing::Values(1, 10));

TEST_P(DivergenceTest, ALossFarAboveTheOptimumRollsBackOnce) {
  const Problem problem;
  GuardOptions guard = TrainerKit::default_guard();
  guard.factor = 6;
  guard.validate_every = GetParam();
  TrainerKit kit(problem, 1, guard);
  int round = 0;
  const auto scramble = [&] {
    if (++round == 25) {
      for (float& x : kit.kit().unit().x()) x *= -40.0F;
    }
    return false;
  };
  Trainer& trainer = kit.trainer(scramble);
  trainer.begin(initial_parameters(smooth_network(), 1));
  trainer.run();
  EXPECT_EQ(trainer.rollbacks(), 1);
}

TEST(TrainerTest, WithoutGuardTheFinalMeanIsTheModel) {
  const Problem problem;
  GuardOptions off;
  off.on = false;
  TrainerKit kit(problem, 2, off);
  Trainer& trainer = kit.begin();
  const auto result = trainer.run();
  EXPECT_TRUE(trainer.metrics().empty());
  EXPECT_TRUE(std::ranges::equal(result.parameters, kit.kit().unit().x()));
}

TEST_P(AnyRuleTest, TimesAddUp) {
  TrainerKit kit(problem_, 1, TrainerKit::default_guard(), GetParam());
  Trainer& trainer = kit.begin();
  trainer.run();
  Timing timing;
  trainer.fill(timing);
  const UnitTiming unit = trainer.unit_timing();
  const double sum = unit.data_wait_s + unit.compute_s + unit.exposed_s + unit.validate_s +
                     unit.checkpoint_s + unit.other_s;
  EXPECT_NEAR(sum, timing.train_s, 0.01 * timing.train_s + 1e-4);
  EXPECT_EQ(timing.samples, (kSteps - 2) * kBatch * world().size());  // two rounds of warm-up
}

}  // namespace
}  // namespace oida::test
