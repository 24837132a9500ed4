// A run that goes on from its checkpoint, and checkpoints that it must refuse.

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "io/run/checkpoint.hpp"
#include "oida/trainer.hpp"
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

/// What the rows of metrics say, but for the time.
std::vector<std::array<double, 4>> verdicts(const Trainer& trainer) {
  std::vector<std::array<double, 4>> rows;
  for (const auto& row : trainer.metrics()) {
    rows.push_back({static_cast<double>(row.round), row.train_loss, row.validation_loss, row.oa});
  }
  return rows;
}

TEST(TrainerResumeTest, ResumesBitByBit) {
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
TEST(TrainerResumeTest, GoesOnFromAServersCheckpoint) {
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

TEST(TrainerResumeTest, KeepsTheMeanOfTheLastStepsInItsCheckpoints) {
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

TEST(TrainerResumeTest, ResumesBitByBitWithALossyWireAndScores) {
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

TEST(TrainerResumeTest, RefusesACheckpointOfAnotherRunAndNamesTheDifference) {
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

/// Arrays whose sizes no state changes.
void expect_short_one_refused(Trainer& trainer, std::map<std::string, std::vector<double>>& numbers,
                              const std::string& name) {
  static const std::map<std::string, std::size_t> sizes = {
      {"progress", 7}, {"times_s", 3}, {"loss", 2}, {"optimum", 4}, {"exchange", 2}, {"round", 2}};
  const auto size = sizes.find(name);
  if (size == sizes.end()) return;
  numbers.at(name).resize(size->second - 1);
  EXPECT_THROW(trainer.resume(1), AgreedError) << name;
}

TEST(TrainerResumeTest, ACheckpointWithAnyNumbersIsTakenOrRefused) {
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
      kept = whole;
      expect_short_one_refused(trainer, (kept.*part).numbers, name);
      kept = whole;
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

}  // namespace
}  // namespace oida::test
