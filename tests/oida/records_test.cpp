#include "oida/records.hpp"

#include <cmath>
#include <thread>

#include <gtest/gtest.h>

namespace oida::test {
namespace {

void wait(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

TEST(PhaseClockTest, EveryMomentBelongsToOnePhase) {
  PhaseClock clock;
  clock.enter(Phase::compute);  // before the start: nothing
  clock.start(true);
  const double began_s = now_s();
  clock.enter(Phase::compute);
  wait(0.02);
  EXPECT_EQ(clock.enter(Phase::exposed), Phase::compute);
  wait(0.01);
  clock.enter(Phase::compute);
  wait(0.01);
  clock.stop();
  const double elapsed_s = now_s() - began_s;
  EXPECT_GE(clock.total_s(Phase::compute), 0.03);
  EXPECT_GE(clock.total_s(Phase::exposed), 0.01);
  double sum = 0;
  for (const double total : clock.totals()) sum += total;
  EXPECT_NEAR(sum, elapsed_s, 1e-3);
  ASSERT_GE(clock.trace().size(), 3U);
  for (std::size_t i = 1; i < clock.trace().size(); ++i) {
    EXPECT_EQ(clock.trace()[i].start_s, clock.trace()[i - 1].end_s);
  }
}

TEST(PhaseClockTest, GoesOnFromWhatAnEarlierPartKept) {
  PhaseClock clock;
  clock.add({1, 2, 3, 4, 5, 6});
  clock.start(false);
  clock.stop();
  EXPECT_NEAR(clock.total_s(Phase::checkpoint), 5.0, 1e-9);
  EXPECT_TRUE(clock.trace().empty());
}

TEST(TimingTest, SharesFollowTheirDefinitions) {
  Timing timing;
  timing.ranks = 2;
  timing.train_s = 10;
  UnitTiming a;
  a.exposed_s = 0.1;
  a.exchange_s = 4;
  a.compute_s = 9;
  UnitTiming b = a;
  b.exposed_s = 0.3;
  b.compute_s = 6;
  timing.per_rank = {a, b};
  EXPECT_DOUBLE_EQ(timing.idle_share(), 0.4 / 20);
  EXPECT_DOUBLE_EQ(timing.hidden_share(), 1 - 0.4 / 8);
  EXPECT_DOUBLE_EQ(timing.imbalance(), 9 / 7.5 - 1);
}

TEST(TimingTest, NothingIsHiddenWhereNothingIsExchanged) {
  Timing timing;
  timing.train_s = 1;
  timing.per_rank = {UnitTiming{}};
  EXPECT_TRUE(std::isnan(timing.hidden_share()));
  EXPECT_EQ(timing.idle_share(), 0);
}

TEST(StepTimesTest, AreQuantilesInMilliseconds) {
  std::vector<float> steps_s;
  for (int i = 100; i >= 0; --i) steps_s.push_back(static_cast<float>(i) * 1e-3F);
  const auto times = summarise(steps_s);
  EXPECT_NEAR(times.min_ms, 0, 1e-4);
  EXPECT_NEAR(times.median_ms, 50, 1e-3);
  EXPECT_NEAR(times.p95_ms, 95, 1e-3);
  EXPECT_NEAR(times.max_ms, 100, 1e-3);
}

TEST(TimingTest, MeanStalenessIsThatOfItsGradients) {
  Timing timing;
  EXPECT_TRUE(std::isnan(timing.mean_staleness()));
  timing.staleness = {2, 0, 1, 1};  // 0, 0, 2, 3 late
  EXPECT_DOUBLE_EQ(timing.mean_staleness(), 1.25);
}

}  // namespace
}  // namespace oida::test
