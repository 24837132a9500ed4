// The loop as a whole: verdicts, rollbacks, stops and resumes, the same on every unit.

#include "oida/trainer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "io/run/checkpoint.hpp"
#include "oida/trainer_kit.hpp"

namespace oida::test {
namespace {

/// A folder that all ranks share and rank 0 makes and removes.
class SharedFolder {
 public:
  SharedFolder()
      : path_(world().broadcast(
            (std::filesystem::temp_directory_path() / "oida-trainer-test-XXXXXX").string(), 0)) {
    if (world().rank() == 0) path_ = mkdtemp(path_.data());
    path_ = world().broadcast(path_, 0);
  }
  ~SharedFolder() {
    world().barrier();
    if (world().rank() == 0) std::filesystem::remove_all(path_);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

bool equal_on_all_units(std::vector<float> values) {
  const std::vector<float> own = values;
  world().broadcast_values(values, 0);
  return own == values;
}

/// What the rows of metrics say, but for the time.
std::vector<std::array<double, 4>> verdicts(const Trainer& trainer) {
  std::vector<std::array<double, 4>> rows;
  for (const auto& row : trainer.metrics()) {
    rows.push_back({static_cast<double>(row.round), row.train_loss, row.validation_loss, row.oa});
  }
  return rows;
}

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

TEST(TrainerTest, ResumesBitByBit) {
  const Problem problem;
  const SharedFolder folder;
  TrainerKit whole(problem, 3);
  Trainer& undisturbed = whole.begin();
  const auto expected = undisturbed.run();
  // Stops in every state that a guard can be in: no candidate, one to score, one scored.
  for (const std::int64_t stop_at : {2, 4, 5, 9}) {
    const auto store =
        open_checkpoints(folder.path() + "/" + std::to_string(stop_at), smooth_network());
    std::int64_t calls = 0;
    TrainerKit first(problem, 3);
    Trainer& stopping = first.trainer([&] { return ++calls == stop_at; }, store.get());
    stopping.begin(initial_parameters(smooth_network(), 1));
    ASSERT_FALSE(stopping.run().finished);
    TrainerKit second(problem, 3);
    Trainer& going_on = second.trainer({}, store.get());
    EXPECT_TRUE(going_on.resume(store->rounds().front()));
    const auto result = going_on.run();
    EXPECT_EQ(result.parameters, expected.parameters) << stop_at;
    EXPECT_EQ(result.optimum_round, expected.optimum_round) << stop_at;
    EXPECT_EQ(verdicts(going_on), verdicts(undisturbed)) << stop_at;
    world().barrier();
  }
}

/// The order in which gradients arrive is another each time; what is kept is what was there.
TEST(TrainerTest, GoesOnFromAServersCheckpoint) {
  const Problem problem;
  const SharedFolder folder;
  const auto store = open_checkpoints(folder.path(), smooth_network());
  std::int64_t calls = 0;
  TrainerKit first(problem, 4, TrainerKit::default_guard(), ExchangeKind::server);
  Trainer& stopping = first.trainer([&] { return ++calls == 8; }, store.get());
  stopping.begin(initial_parameters(smooth_network(), 1));
  ASSERT_FALSE(stopping.run().finished);
  TrainerKit second(problem, 4, TrainerKit::default_guard(), ExchangeKind::server);
  Trainer& going_on = second.trainer({}, store.get());
  EXPECT_TRUE(going_on.resume(store->rounds().front()));
  EXPECT_EQ(going_on.step(), 32);
  EXPECT_TRUE(std::ranges::equal(second.kit().unit().x(), first.kit().unit().x()));
  EXPECT_TRUE(equal_on_all_units({second.kit().unit().x().begin(), second.kit().unit().x().end()}));
  EXPECT_TRUE(std::ranges::equal(second.kit().unit().optimizer().slot(0),
                                 first.kit().unit().optimizer().slot(0)));
  const auto result = going_on.run();
  EXPECT_TRUE(result.finished);
  EXPECT_TRUE(equal_on_all_units(result.parameters));
  EXPECT_LT(result.optimum_loss, 0.7 * std::log(3.0));
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

TEST(TrainerTest, KeepsTheMeanOfTheLastStepsInItsCheckpoints) {
  const Problem problem;
  const SharedFolder folder;
  TrainerKit whole(problem, 3);
  whole.average(0.6);
  const auto expected = whole.begin().run();
  const auto store = open_checkpoints(folder.path() + "/mean", smooth_network());
  std::int64_t calls = 0;
  TrainerKit first(problem, 3);
  first.average(0.6);
  Trainer& stopping = first.trainer([&] { return ++calls == 14; }, store.get());
  stopping.begin(initial_parameters(smooth_network(), 1));
  ASSERT_FALSE(stopping.run().finished);
  TrainerKit second(problem, 3);
  second.average(0.6);
  Trainer& going_on = second.trainer({}, store.get());
  EXPECT_TRUE(going_on.resume(store->rounds().front()));
  EXPECT_EQ(going_on.run().parameters, expected.parameters);
  EXPECT_EQ(verdicts(going_on), verdicts(*whole.made()));
  world().barrier();
}

TEST(TrainerTest, ResumesBitByBitWithALossyWireAndScores) {
  const Problem problem;
  const SharedFolder folder;
  for (const Wire wire : {Wire::int8, Wire::int4}) {
    TrainerKit whole(problem, 3);
    whole.send_lossy(wire, MergeKind::weighted);
    const auto expected = whole.begin().run();
    const auto store = open_checkpoints(folder.path() + "/" + to_string(wire), smooth_network());
    std::int64_t calls = 0;
    TrainerKit first(problem, 3);
    first.send_lossy(wire, MergeKind::weighted);
    Trainer& stopping = first.trainer([&] { return ++calls == 8; }, store.get());
    stopping.begin(initial_parameters(smooth_network(), 1));
    ASSERT_FALSE(stopping.run().finished);
    TrainerKit second(problem, 3);
    second.send_lossy(wire, MergeKind::weighted);
    Trainer& going_on = second.trainer({}, store.get());
    EXPECT_TRUE(going_on.resume(store->rounds().front()));
    EXPECT_EQ(going_on.run().parameters, expected.parameters);
    EXPECT_TRUE(std::ranges::equal(second.kit().unit().x(), whole.kit().unit().x()));
    world().barrier();
  }
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

TEST(TrainerTest, RefusesACheckpointOfAnotherRunAndNamesTheDifference) {
  const Problem problem;
  const SharedFolder folder;
  const auto store = open_checkpoints(folder.path(), smooth_network());
  TrainerKit first(problem, 1);
  Trainer& stopping = first.trainer([] { return true; }, store.get());
  stopping.begin(initial_parameters(smooth_network(), 1));
  stopping.run();
  auto common = store->read_common(store->rounds().front());
  world().barrier();
  common.texts["identity"] = "a=2\n";
  if (world().rank() == 0) {
    store->write_common(99, common,
                        std::vector<std::uint64_t>(static_cast<std::size_t>(world().size()), 0));
  }
  world().barrier();
  TrainerKit second(problem, 1);
  try {
    second.trainer({}, store.get()).resume(99);
    FAIL() << "a checkpoint of another run was taken";
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.exit(), Exit::refused);
    EXPECT_NE(std::string(error.what()).find("a=2"), std::string::npos) << error.what();
  }
}

class Kept final : public CheckpointStore {
 public:
  Archive common, unit;
  std::uint64_t write_unit(std::int64_t, int, const Archive&) override { return 0; }
  void write_common(std::int64_t, const Archive&, const std::vector<std::uint64_t>&) override {}
  std::vector<std::int64_t> rounds() const override { return {1}; }
  Archive read_common(std::int64_t) const override { return common; }
  Archive read_unit(std::int64_t, int) const override { return unit; }
  int units(std::int64_t) const override { return world().size(); }
  void discard(std::int64_t, int) override {}
  void set_aside(std::int64_t) override {}
  void prune(int) override {}
};

void expect_taken_or_refused(Trainer& trainer, const std::string& what) {
  try {
    trainer.resume(1);
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.exit(), Exit::refused) << what << ": " << error.what();
  }
}

TEST(TrainerTest, ACheckpointWithAnyNumbersIsTakenOrRefused) {
  if (world().size() > 2) GTEST_SKIP() << "says no more than on two ranks";
  const Problem problem;
  const SharedFolder folder;
  const auto store = open_checkpoints(folder.path(), smooth_network());
  TrainerKit first(problem, 3);
  Trainer& stopping = first.trainer([calls = 0]() mutable { return ++calls == 4; }, store.get());
  stopping.begin(initial_parameters(smooth_network(), 1));
  stopping.run();
  Kept whole;
  whole.common = store->read_common(store->rounds().front());
  whole.unit = store->read_unit(store->rounds().front(), world().rank());
  Kept kept = whole;
  TrainerKit second(problem, 3);
  Trainer& trainer = second.trainer({}, &kept);
  for (Archive Kept::*part : {&Kept::common, &Kept::unit}) {
    for (const auto& [name, values] : (whole.*part).numbers) {
      for (std::size_t i = 0; i < std::min<std::size_t>(values.size(), 8); ++i) {
        for (const double bad : {std::nan(""), -1.0, 0.5, 1e300}) {
          kept = whole;
          (kept.*part).numbers.at(name)[i] = bad;
          expect_taken_or_refused(trainer, name + " " + std::to_string(i));
        }
      }
      (kept.*part).numbers.erase(name);
      expect_taken_or_refused(trainer, name + " missing");
    }
    kept = whole;
    (kept.*part).parameters.clear();
    (kept.*part).texts.clear();
    EXPECT_THROW(trainer.resume(1), AgreedError);
  }
  kept = whole;
  EXPECT_TRUE(trainer.resume(1));
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
