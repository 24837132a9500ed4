#include "oida/records.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "oida/step_times.hpp"

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

/// Of the sorted values, with no bins: what the histogram must come near to.
double quantile_ms(std::vector<double> steps_s, double q) {
  std::sort(steps_s.begin(), steps_s.end());
  const double last = static_cast<double>(steps_s.size() - 1);
  return 1e3 * steps_s[static_cast<std::size_t>(std::lround(q * last))];
}

TEST(StepHistogramTest, IsNearTheQuantilesOfTheSortedValues) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> duration(std::log(4e-3), 1.5);
  StepHistogram histogram;
  std::vector<double> steps_s;
  for (int i = 0; i < 20000; ++i) {
    steps_s.push_back(duration(random));
    histogram.add(steps_s.back());
  }
  const StepTimes times = histogram.summary();
  EXPECT_EQ(times.min_ms, quantile_ms(steps_s, 0));
  EXPECT_EQ(times.max_ms, quantile_ms(steps_s, 1));
  for (const auto& [got, q] : {std::pair{times.median_ms, 0.5}, {times.p95_ms, 0.95}}) {
    const double wanted = quantile_ms(steps_s, q);
    EXPECT_NEAR(got, wanted, 0.0055 * wanted) << q;
  }
}

TEST(StepHistogramTest, TakesAnyDurationAndNone) {
  StepHistogram histogram;
  EXPECT_EQ(histogram.summary().max_ms, 0);
  for (const double seconds : {0.0, 1e-9, 1e6}) histogram.add(seconds);
  EXPECT_EQ(histogram.summary().min_ms, 0);
  EXPECT_NEAR(histogram.summary().median_ms, 0, 2e-3);
  EXPECT_EQ(histogram.summary().max_ms, 1e9);
}

TEST(StepHistogramTest, ComesBackFromACheckpointOfOneSize) {
  StepHistogram histogram;
  EXPECT_EQ(histogram.packed().size(), StepHistogram::kPackedSize);
  for (int i = 1; i < 1000; ++i) histogram.add(1e-4 * i);
  EXPECT_EQ(histogram.packed().size(), StepHistogram::kPackedSize);
  StepHistogram again;
  again.restore(histogram.packed());
  EXPECT_EQ(again.packed(), histogram.packed());
  EXPECT_EQ(again.summary().p95_ms, histogram.summary().p95_ms);
  again.clear();
  EXPECT_EQ(again.packed(), StepHistogram().packed());
}

TEST(PhaseClockTest, KeepsABoundedTraceAndSaysSo) {
  PhaseClock clock;
  clock.start(true);
  for (std::size_t i = 0; i < kMostTraceEvents / 2 + 10; ++i) {
    clock.enter(Phase::compute);
    clock.enter(Phase::other);
  }
  ASSERT_EQ(clock.trace().size(), kMostTraceEvents);
  EXPECT_EQ(clock.trace().front().name, to_string(Phase::other));
  EXPECT_EQ(clock.trace().back().name, "no more is kept of this rank");
}

TEST(TimingTest, MeanStalenessIsThatOfItsGradients) {
  Timing timing;
  EXPECT_TRUE(std::isnan(timing.mean_staleness()));
  timing.staleness = {2, 0, 1, 1};  // 0, 0, 2, 3 late
  EXPECT_DOUBLE_EQ(timing.mean_staleness(), 1.25);
}

}  // namespace
}  // namespace oida::test
