#include "nn/schedule.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace oida {
namespace {

using Kind = Schedule::Kind;

TEST(Schedule, ConstantStays) {
  const Schedule schedule{Kind::constant, 0.1F, 0.3F};
  for (const double at : {0.0, 0.2, 1.0}) EXPECT_FLOAT_EQ(schedule.rate(at), 0.1F);
}

TEST(Schedule, OneCycleRisesAndFallsThroughItsCorners) {
  const Schedule schedule{Kind::one_cycle, 0.1F, 0.4F};
  EXPECT_FLOAT_EQ(schedule.rate(0.0), 0.004F);
  EXPECT_FLOAT_EQ(schedule.rate(0.2), 0.052F);  // half way up
  EXPECT_FLOAT_EQ(schedule.rate(0.4), 0.1F);
  EXPECT_FLOAT_EQ(schedule.rate(0.7), 0.050005F);                    // half way down
  EXPECT_FLOAT_EQ(schedule.rate(0.6), 0.00001F + 0.09999F * 0.75F);  // cos(pi / 3) = 1 / 2
  EXPECT_FLOAT_EQ(schedule.rate(1.0), 0.00001F);
}

TEST(Schedule, CosineWarmsUpFromZeroAndEndsThere) {
  const Schedule schedule{Kind::cosine, 0.1F, 0.4F};
  EXPECT_FLOAT_EQ(schedule.rate(0.0), 0.0F);
  EXPECT_FLOAT_EQ(schedule.rate(0.1), 0.025F);
  EXPECT_FLOAT_EQ(schedule.rate(0.7), 0.05F);
  EXPECT_NEAR(schedule.rate(1.0), 0.0F, 1e-9);
}

TEST(Schedule, WarmUpRisesFromZeroAndStays) {
  const Schedule schedule{Kind::warm_up, 0.1F, 0.4F};
  EXPECT_FLOAT_EQ(schedule.rate(0.0), 0.0F);
  EXPECT_FLOAT_EQ(schedule.rate(0.1), 0.025F);
  EXPECT_FLOAT_EQ(schedule.rate(0.4), 0.1F);
  EXPECT_FLOAT_EQ(schedule.rate(0.8), 0.1F);
}

TEST(Schedule, ExtremeWarmUpsAndProgressStayFinite) {
  for (const auto kind : {Kind::one_cycle, Kind::cosine, Kind::warm_up}) {
    EXPECT_FLOAT_EQ((Schedule{kind, 0.1F, 0.0F}.rate(0.0)), 0.1F);
    EXPECT_FLOAT_EQ((Schedule{kind, 0.1F, 1.0F}.rate(1.0)), 0.1F);
    EXPECT_EQ((Schedule{kind, 0.1F, 0.3F}.rate(1.5)), (Schedule{kind, 0.1F, 0.3F}.rate(1.0)));
  }
}

TEST(Schedule, NamesAreKnown) {
  EXPECT_EQ(schedule_kind("constant"), Kind::constant);
  EXPECT_EQ(schedule_kind("one_cycle"), Kind::one_cycle);
  EXPECT_EQ(schedule_kind("cosine"), Kind::cosine);
  EXPECT_EQ(schedule_kind("warm_up"), Kind::warm_up);
  EXPECT_THROW(schedule_kind("step"), InputError);
}

}  // namespace
}  // namespace oida
