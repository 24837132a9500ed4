#include "oida/tail_mean.hpp"

#include <gtest/gtest.h>

namespace oida {
namespace {

/// Steps after which parameters are taken, with rounds of `pace` steps.
std::vector<std::int64_t> taken_after(const TailMean& mean, std::int64_t total, std::int64_t pace) {
  std::vector<std::int64_t> steps;
  for (std::int64_t step = 0; step < total; step += pace) {
    const std::int64_t after = std::min(step + pace, total);
    if (mean.due(step, after)) steps.push_back(after);
  }
  return steps;
}

TEST(TailMean, TakesFromTheLastShareOfTheStepsOnly) {
  EXPECT_TRUE(taken_after(TailMean(0.0, 1000), 1000, 1).empty());
  const auto few = taken_after(TailMean(0.25, 40), 40, 1);
  EXPECT_EQ(few.front(), 31);
  EXPECT_EQ(few.size(), 10U);
  const auto many = taken_after(TailMean(0.5, 12'800), 12'800, 1);
  EXPECT_EQ(many.size(), 64U);
  EXPECT_GT(many.front(), 6400);
  EXPECT_EQ(many.back(), 12'800);
  EXPECT_EQ(taken_after(TailMean(0.5, 12'800), 12'800, 256).size(), 25U);
}

TEST(TailMean, IsTheMeanAndGoesOnFromACheckpoint) {
  TailMean mean(0.5, 10);
  const std::vector<std::vector<float>> values = {{1, 5}, {2, -1}, {6, 2}};
  mean.take(values[0]);
  mean.take(values[1]);
  TailMean other(0.5, 10);
  other.restore(mean.taken(), mean.mean());
  for (TailMean* each : {&mean, &other}) {
    each->take(values[2]);
    EXPECT_EQ(each->taken(), 3);
    EXPECT_FLOAT_EQ(each->mean()[0], 3.0F);
    EXPECT_FLOAT_EQ(each->mean()[1], 2.0F);
  }
  EXPECT_EQ(mean.mean()[0], other.mean()[0]);
  mean.restart();
  EXPECT_EQ(mean.taken(), 0);
  mean.take(values[2]);
  EXPECT_EQ(mean.mean()[0], 6.0F);
}

}  // namespace
}  // namespace oida
