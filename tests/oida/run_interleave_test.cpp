// How the interleave of a run is agreed and agreed anew, under times that are given.

#include <vector>

#include <gtest/gtest.h>

#include "oida/interleave.hpp"
#include "oida/trainer_kit.hpp"

namespace oida::test {
namespace {

/// A network whose times are given: from `slow_from` on an exchange takes longer than the steps
/// hide, and it is exposed to the last unit for `exposed` of each round.
class SlowNetwork {
 public:
  SlowNetwork(std::int64_t slow_from, double exposed) : slow_from_(slow_from), exposed_(exposed) {}

  void operator()(RoundTimes& times) {
    const bool slow = round_++ >= slow_from_;
    const int rank = world().rank();
    const bool last = rank == world().size() - 1;
    times.step_s = last ? 0.020 : 0.025;
    // The least over the units counts, the others waited for a unit.
    times.exchange_s = (slow ? 0.100 : 0.030) + 0.05 * (world().size() - 1 - rank);
    times.round_s = 1;
    times.exposed_s = slow && last ? exposed_ : 0;
  }

 private:
  std::int64_t slow_from_, round_ = 0;
  double exposed_;
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

TEST(InterleaveOfARunTest, IsAgreedAnewWhereTheExchangeIsExposed) {
  // Twelve rounds are measured: ceil(1.25 x 0.030 / 0.020) = 2. The first look comes 64 rounds
  // after the last of them, in round 75: ceil(1.25 x 0.100 / 0.020) = 7. Of the
  // time 25/63 x 0.05 is exposed, which alone would take 5.
  const Problem problem;
  EXPECT_EQ(plan_on(problem, SlowNetwork(50, 0.05 * world().size())),
            (InterleavePlan{{0, 1}, {12, 2}, {76, 7}}));
}

TEST(InterleaveOfARunTest, StaysWhereLittleIsExposed) {
  // 25 of 63 rounds with 0.02 exposed are 0.8 % of the time.
  const Problem problem;
  EXPECT_EQ(plan_on(problem, SlowNetwork(50, 0.02)), (InterleavePlan{{0, 1}, {12, 2}}));
}

/// Every exchange takes `exchange_s`, a step 0.020 s, and 0.02 of every round is exposed.
InterleavePlan plan_where_exchanges_cost(double exchange_s) {
  const Problem problem;
  TrainerKit kit(problem, 1);
  kit.measure(230);
  kit.on_measured = [exchange_s](RoundTimes& times) { times = {exchange_s, 0.020, 0.02, 1.0}; };
  Trainer& trainer = kit.begin();
  trainer.run();
  return trainer.interleave().plan();
}

TEST(InterleaveOfARunTest, SpreadsTheCostOfExchangesOverMoreSteps) {
  // Two steps hide it; five make its cost a hundredth of the time.
  EXPECT_EQ(plan_where_exchanges_cost(0.030), (InterleavePlan{{0, 1}, {12, 2}, {76, 5}}));
}

TEST(InterleaveOfARunTest, IsOneWhereOneHidesTheExchangeWhateverItCosts) {
  EXPECT_EQ(plan_where_exchanges_cost(0.010), (InterleavePlan{{0, 1}, {12, 1}}));
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
