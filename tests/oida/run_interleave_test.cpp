// How the interleave of a run is agreed and agreed anew, under times that are given.

#include <vector>

#include <gtest/gtest.h>

#include "oida/interleave.hpp"
#include "oida/trainer_kit.hpp"

namespace oida::test {
namespace {

/// A network whose times are given: from `slow_from` on an exchange takes longer than the steps
/// hide, and the last unit waits for `waited` of each round.
class SlowNetwork {
 public:
  SlowNetwork(std::int64_t slow_from, double waited) : slow_from_(slow_from), waited_(waited) {}

  void operator()(RoundTimes& times) {
    const bool slow = round_++ >= slow_from_;
    const int rank = world().rank();
    const bool last = rank == world().size() - 1;
    times.step_s = last ? 0.020 : 0.025;
    // The least over the units counts, the others waited for a unit.
    times.exchange_s = (slow ? 0.100 : 0.030) + 0.05 * (world().size() - 1 - rank);
    times.round_s = 1;
    times.wait_s = slow && last ? waited_ : 0;
  }

 private:
  std::int64_t slow_from_, round_ = 0;
  double waited_;
};

InterleavePlan plan_on(const Problem& problem, const SlowNetwork& network) {
  TrainerKit kit(problem, 1);
  kit.measure(230);
  kit.on_measured = network;
  Trainer& trainer = kit.begin();
  trainer.run();
  std::vector<std::int64_t> flat;
  for (const auto& [round, steps] : trainer.interleave().plan()) {
    flat.insert(flat.end(), {round, steps});
  }
  const auto own = flat;
  flat.resize(8);
  world().broadcast_values(flat, 0);
  flat.resize(own.size());
  EXPECT_EQ(flat, own);
  return trainer.interleave().plan();
}

TEST(InterleaveOfARunTest, IsAgreedAnewWhereAUnitComesToWait) {
  // Twelve rounds are measured: ceil(1.25 x 0.030 / 0.020) = 2. The first look comes 64 rounds
  // after the last of them, in round 75: ceil(1.25 x 0.100 / 0.020) = 7.
  const Problem problem;
  EXPECT_EQ(plan_on(problem, SlowNetwork(50, 0.5)), (InterleavePlan{{0, 1}, {12, 2}, {76, 7}}));
}

TEST(InterleaveOfARunTest, StaysWhereUnitsHardlyWait) {
  // 25 of 63 rounds with a wait of 0.02 are 0.8 % of the time.
  const Problem problem;
  EXPECT_EQ(plan_on(problem, SlowNetwork(50, 0.02)), (InterleavePlan{{0, 1}, {12, 2}}));
}

TEST(InterleaveOfARunTest, FollowsTheWaitWhereMeasuredExchangesSayLess) {
  // Nothing slower was measured, but of all 63 rounds half were waiting on the last of the units:
  // a mean of 1/2, 1/4 or 1/8 takes 2 steps to ceil(2 / (1 - mean)).
  const Problem problem;
  TrainerKit kit(problem, 1);
  kit.measure(230);
  kit.on_measured = [](RoundTimes& times) {
    const bool last = world().rank() == world().size() - 1;
    times = {0.030, 0.020, last ? 0.5 : 0.0, 1.0};
  };
  Trainer& trainer = kit.begin();
  trainer.run();
  const int steps = world().size() == 1 ? 4 : 3;
  EXPECT_EQ(trainer.interleave().plan(), (InterleavePlan{{0, 1}, {12, 2}, {76, steps}}));
}

TEST(InterleaveOfARunTest, IsOneFromTheGivenShareOn) {
  const Problem problem;
  TrainerKit kit(problem, 5);
  kit.end_with_one_from(0.5);
  Trainer& trainer = kit.begin();
  trainer.run();
  EXPECT_EQ(trainer.interleave().plan(), (InterleavePlan{{0, 5}, {6, 1}}));
  EXPECT_EQ(trainer.rounds(), 6 + kSteps / 2);
}

}  // namespace
}  // namespace oida::test
