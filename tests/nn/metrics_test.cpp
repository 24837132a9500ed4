#include "nn/metrics.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace oida {
namespace {

Confusion confusion_of(const std::vector<std::vector<int>>& rows) {
  Confusion confusion(static_cast<int>(rows.size()));
  for (int t = 0; t < confusion.classes(); ++t) {
    const auto& row = rows[static_cast<std::size_t>(t)];
    for (int p = 0; p < confusion.classes(); ++p) {
      confusion.add(t, p, row[static_cast<std::size_t>(p)]);
    }
  }
  return confusion;
}

/// Congalton, Remote Sens. Environ. 37 (1991) 35, table 1, its columns (reference) as our rows.
Confusion congalton() {
  return confusion_of({{65, 6, 0, 4}, {4, 81, 11, 7}, {22, 5, 85, 3}, {24, 8, 19, 90}});
}

TEST(Scores, AgreeWithCongalton1991) {
  const Scores scores = score(congalton(), std::vector<bool>(4, true));
  EXPECT_EQ(scores.n, 434);
  EXPECT_NEAR(scores.oa, 0.74, 0.005);
  EXPECT_NEAR(scores.kappa, 0.65, 0.005);
  const double producers[] = {0.87, 0.79, 0.74, 0.64};
  const double users[] = {0.57, 0.81, 0.74, 0.87};
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_NEAR(scores.per_class[c].recall, producers[c], 0.005);
    EXPECT_NEAR(scores.per_class[c].precision, users[c], 0.005);
  }
  EXPECT_NEAR(scores.aa, (65.0 / 75 + 81.0 / 103 + 85.0 / 115 + 90.0 / 141) / 4, 1e-12);
}

TEST(Scores, WorkedByHandOnTwoClasses) {
  // Observed agreement 0.7, chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5: kappa = 0.2 / 0.5 (Cohen 1960).
  const Scores scores = score(confusion_of({{20, 5}, {10, 15}}), {true, true});
  EXPECT_NEAR(scores.kappa, 0.4, 1e-12);
  EXPECT_NEAR(scores.per_class[0].iou, 20.0 / 35, 1e-12);
  EXPECT_NEAR(scores.per_class[1].iou, 15.0 / 30, 1e-12);
  EXPECT_NEAR(scores.miou, (20.0 / 35 + 0.5) / 2, 1e-12);
  EXPECT_NEAR(scores.per_class[0].f1, 40.0 / 55, 1e-12);
  EXPECT_NEAR(scores.f1_macro, (40.0 / 55 + 30.0 / 45) / 2, 1e-12);
}

TEST(Scores, ClassesWithoutTestOrTrainingSamplesStayOutOfMeans) {
  const Scores scores =
      score(confusion_of({{8, 2, 0, 0}, {0, 6, 4, 0}, {0, 0, 0, 0}, {3, 0, 0, 0}}),
            {true, true, true, false});
  EXPECT_NEAR(scores.aa, (0.8 + 0.6) / 2, 1e-12);
  EXPECT_NEAR(scores.miou, (8.0 / 13 + 6.0 / 12) / 2, 1e-12);
  EXPECT_NEAR(scores.oa, 14.0 / 23, 1e-12);
  EXPECT_TRUE(std::isnan(scores.per_class[2].recall));
  EXPECT_TRUE(std::isnan(scores.per_class[2].precision));
  EXPECT_EQ(scores.per_class[3].samples, 3);
  EXPECT_EQ(scores.per_class[3].precision, 0.0);
}

TEST(Scores, AreUndefinedWithoutSamplesOrAlternatives) {
  const Scores empty = score(Confusion(2), {true, true});
  EXPECT_EQ(empty.n, 0);
  EXPECT_TRUE(std::isnan(empty.oa) && std::isnan(empty.kappa) && std::isnan(empty.aa));
  const Scores single = score(confusion_of({{5, 0}, {0, 0}}), {true, true});
  EXPECT_EQ(single.oa, 1.0);
  EXPECT_TRUE(std::isnan(single.kappa));
}

TEST(Confusion, CountsAndRefuses) {
  Confusion confusion(3);
  confusion.add(1, 2);
  confusion.add(1, 2, 4);
  EXPECT_EQ(confusion.at(1, 2), 5);
  EXPECT_EQ(confusion.counts()[5], 5);
  EXPECT_EQ(confusion.total(), 5);
  EXPECT_THROW(confusion.add(3, 0), Error);
  EXPECT_THROW(confusion.add(0, -1), Error);
  EXPECT_THROW(score(confusion, {true}), Error);
}

TEST(RelativeEntropy, IsShannonsOverItsMost) {
  const auto entropy = [](std::vector<float> p) { return relative_entropy(p); };
  EXPECT_FLOAT_EQ(entropy({0.25F, 0.25F, 0.25F, 0.25F}), 1.0F);
  EXPECT_FLOAT_EQ(entropy({0.5F, 0.5F, 0.0F, 0.0F}), 0.5F);
  EXPECT_EQ(entropy({0.0F, 1.0F, 0.0F}), 0.0F);
  EXPECT_TRUE(std::isnan(entropy({NAN, NAN})));
}

/// Two blocks of 10, 5 and 10 of them right: off the mean share of 3/4 by 2.5 samples each, so the
/// variance is 2/1 (2.5^2 + 2.5^2) / 20^2 = 1/16.
TEST(BlockStandardError, TakesBlocksForTheSample) {
  const std::vector<BlockScore> blocks = {{0, 0, 0, 8, 8, 10, 5}, {0, 0, 8, 8, 8, 10, 10}};
  EXPECT_DOUBLE_EQ(block_standard_error(blocks), 0.25);
  const std::vector<BlockScore> even = {{0, 0, 0, 8, 8, 10, 5}, {0, 0, 8, 8, 8, 40, 20}};
  EXPECT_DOUBLE_EQ(block_standard_error(even), 0.0);
  EXPECT_TRUE(std::isnan(block_standard_error({blocks.data(), 1})));
}

}  // namespace
}  // namespace oida
