// Checkpoints on their way: what is written in which order, who waits, and what fails.

#include "oida/checkpoint_writer.hpp"

#include <algorithm>
#include <future>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/error.hpp"
#include "mpi_world.hpp"
#include "oida/io_thread.hpp"

namespace oida::test {
namespace {

using oida::testing::world;

constexpr std::int64_t kRound = 7;

/// Every piece of 16 bits differs from unit to unit.
std::uint64_t checksum_of(int unit) {
  return 0xFEDCBA9876543210U ^ static_cast<std::uint64_t>(unit) * 0x9E3779B97F4A7C15U;
}

/// Notes what is done, and fails where it is told to.
class FakeStore final : public CheckpointStore {
 public:
  int failing_unit = -1;
  bool common_fails = false, prune_fails = false;
  std::shared_future<void> unit_may_end;
  std::vector<std::string> done;
  std::vector<std::uint64_t> checksums;

  std::uint64_t write_unit(std::int64_t round, int unit, const Archive& archive) override {
    if (unit_may_end.valid()) unit_may_end.wait();
    if (unit == failing_unit) throw Error("the disk", "is full");
    done.push_back("unit " + std::to_string(round) + archive.texts.at("of"));
    return checksum_of(unit);
  }
  void write_common(std::int64_t round, const Archive& archive,
                    const std::vector<std::uint64_t>& unit_checksums) override {
    if (common_fails) throw Error("the folder", "has gone");
    done.push_back("common " + std::to_string(round) + archive.texts.at("of"));
    checksums = unit_checksums;
  }
  void prune(int) override {
    if (prune_fails) throw Error("a file", "stays");
    done.emplace_back("prune");
  }
  void discard(std::int64_t round, int) override {
    done.push_back("discard " + std::to_string(round));
  }
  std::vector<std::int64_t> rounds() const override { return {}; }
  Archive read_common(std::int64_t) const override { return {}; }
  Archive read_unit(std::int64_t, int) const override { return {}; }
  int units(std::int64_t) const override { return world().size(); }
  void set_aside(std::int64_t) override {}
};

class CheckpointWriterTest : public ::testing::Test {
 protected:
  void start() {
    writer_.start(
        kRound, [] { return named("'s state"); }, [] { return named("'s common state"); });
  }
  /// One round of training: the control words are summed, and all units act on them.
  void round() {
    std::vector<double> ending{static_cast<double>(writer_.ending())};
    world().sum(ending);
    writer_.advance(static_cast<float>(ending.front()));
  }
  void rounds_until_idle() {
    while (!writer_.is_idle()) round();
  }
  static std::vector<std::string> on_main(std::vector<std::string> lines) {
    return world().rank() == 0 ? std::move(lines) : std::vector<std::string>();
  }

  FakeStore store_;
  std::vector<std::string> said_;
  CheckpointWriter writer_{world(), &store_, 2, [this](const std::string& line) {
                             if (world().rank() == 0) said_.push_back(line);
                           }};

 private:
  static Archive named(const std::string& what) {
    Archive archive;
    archive.texts["of"] = what;
    return archive;
  }
};

TEST_F(CheckpointWriterTest, TheCommonFileComesLastWithAllChecksums) {
  start();
  rounds_until_idle();
  std::vector<std::string> expected{"unit 7's state"};
  std::vector<std::uint64_t> sums;
  if (world().rank() == 0) {
    expected.insert(expected.end(), {"common 7's common state", "prune"});
    for (int unit = 0; unit < world().size(); ++unit) sums.push_back(checksum_of(unit));
  }
  EXPECT_EQ(store_.done, expected);
  EXPECT_EQ(store_.checksums, sums);
  EXPECT_TRUE(writer_.has_checkpoint());
  EXPECT_TRUE(said_.empty());
  start();
  rounds_until_idle();
  EXPECT_EQ(store_.done.size(), 2 * expected.size());
}

TEST_F(CheckpointWriterTest, RoundsGoOnWhileAUnitsFileIsNotThere) {
  std::promise<void> may_end;
  if (world().rank() == world().size() - 1) store_.unit_may_end = may_end.get_future().share();
  start();
  for (int r = 0; r < 50; ++r) round();
  EXPECT_FALSE(writer_.is_idle());
  EXPECT_FALSE(writer_.has_checkpoint());
  EXPECT_TRUE(store_.checksums.empty());
  may_end.set_value();
  rounds_until_idle();
  EXPECT_TRUE(writer_.has_checkpoint());
}

TEST_F(CheckpointWriterTest, AUnitThatFailsIsSaidAndTheCheckpointDoesNotCount) {
  store_.failing_unit = world().size() - 1;
  start();
  rounds_until_idle();
  EXPECT_EQ(said_, on_main({"checkpoint of round 7 not written: the disk: is full"}));
  EXPECT_EQ(store_.done.back(), "discard 7");
  EXPECT_TRUE(store_.checksums.empty());
  EXPECT_FALSE(writer_.has_checkpoint());
  store_.failing_unit = -1;
  start();
  rounds_until_idle();
  EXPECT_TRUE(writer_.has_checkpoint());
}

TEST_F(CheckpointWriterTest, SoIsACommonFileThatFails) {
  store_.common_fails = true;
  start();
  rounds_until_idle();
  EXPECT_EQ(said_, on_main({"checkpoint of round 7 not written: the folder: has gone"}));
  EXPECT_EQ(store_.done.back(), "discard 7");
  EXPECT_FALSE(writer_.has_checkpoint());
}

TEST_F(CheckpointWriterTest, AnOldCheckpointThatStaysDoesNotUndoTheNewOne) {
  store_.prune_fails = true;
  start();
  rounds_until_idle();
  EXPECT_EQ(said_, on_main({"an old checkpoint stays: a file: stays"}));
  EXPECT_TRUE(writer_.has_checkpoint());
}

/// From wherever the checkpoint is on its way.
TEST_F(CheckpointWriterTest, FinishWaitsForWhatIsOnItsWay) {
  writer_.finish();
  EXPECT_FALSE(writer_.has_checkpoint());
  for (int rounds = 0; rounds < 5; ++rounds) {
    store_.checksums.clear();
    start();
    for (int r = 0; r < rounds && !writer_.is_idle(); ++r) round();
    writer_.finish();
    EXPECT_TRUE(writer_.is_idle());
    EXPECT_TRUE(writer_.has_checkpoint());
    EXPECT_EQ(store_.checksums.size(),
              on_main({"all"}).size() * static_cast<std::size_t>(world().size()));
  }
  store_.failing_unit = 0;
  start();
  writer_.finish();
  EXPECT_EQ(said_, on_main({"checkpoint of round 7 not written: the disk: is full"}));
}

TEST(IoThreadTest, LeavesTheCoresToThoseWhoCompute) {
  const int own = getpriority(PRIO_PROCESS, 0);
  IoThread thread;
  int there = own;
  thread.start([&] { there = getpriority(PRIO_PROCESS, 0); });
  EXPECT_EQ(thread.wait(), "");
  EXPECT_EQ(there, std::min(19, own + IoThread::kNicer));
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), own);
}

}  // namespace
}  // namespace oida::test
