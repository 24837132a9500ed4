// A split that is drawn into an image.

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "scenes.hpp"

namespace oida {
namespace {

constexpr int kRows = 40, kCols = 60;

LabelImage image(std::uint8_t value) {
  LabelImage out{kRows, kCols, {}};
  out.classes.assign(std::size_t{kRows} * kCols, value);
  return out;
}

void fill(LabelImage& of, int row, int col, int rows, int cols, std::uint8_t value) {
  for (int r = row; r < row + rows; ++r) {
    for (int c = col; c < col + cols; ++c) of.at(r, c) = value;
  }
}

/// Two classes side by side.
LabelImage labels() {
  LabelImage out = image(1);
  fill(out, 0, kCols / 2, kRows, kCols / 2, 2);
  return out;
}

SplitOptions options(int patch_px) {
  SplitOptions out;
  out.kind = SplitOptions::Kind::file;
  out.block_px = 16;
  out.patch_px = patch_px;
  return out;
}

/// Rows 0 to 9 train, 10 to 19 are unused, 20 to 24 validate, from 30 on they test.
LabelImage parts() {
  LabelImage out = image(0);
  fill(out, 0, 0, 10, kCols, 1);
  fill(out, 20, 0, 5, kCols, 2);
  fill(out, 30, 0, 10, kCols, 3);
  return out;
}

TEST(SplitByFile, TakesEachPixelForThePartItIsDrawnFor) {
  const Split split = make_split({labels()}, 2, options(5), {}, {parts()});
  EXPECT_EQ(split.training.size(), 10U * kCols);
  EXPECT_EQ(split.validation.size(), 5U * kCols);
  EXPECT_EQ(split.test.size(), 10U * kCols);
  for (const Sample& sample : split.training) EXPECT_LT(sample.row, 10);
  for (const Sample& sample : split.validation) EXPECT_EQ(sample.row / 5, 4);
  for (const Sample& sample : split.test) EXPECT_GE(sample.row, 30);
  EXPECT_EQ(split.counts[0], (std::vector<std::int64_t>{300, 300}));
  EXPECT_EQ(split.counts[1], (std::vector<std::int64_t>{150, 150}));
  EXPECT_EQ(split.counts[2], (std::vector<std::int64_t>{300, 300}));
  EXPECT_TRUE(split.warnings.empty());
}

TEST(SplitByFile, LimitsTrainingSamplesOnly) {
  SplitOptions limited = options(5);
  limited.max_per_class = 20;
  const Split split = make_split({labels()}, 2, limited, {}, {parts()});
  EXPECT_EQ(split.counts[0], (std::vector<std::int64_t>{20, 20}));
  EXPECT_EQ(split.training.size(), 40U);
  EXPECT_EQ(split.test.size(), 10U * kCols);
}

// Training ends in row 9, validation begins in row 20: 11 rows apart.
TEST(SplitByFile, IsLeakyWherePatchesOfTwoPartsMeet) {
  EXPECT_FALSE(make_split({labels()}, 2, options(11), {}, {parts()}).leaky());
  EXPECT_TRUE(make_split({labels()}, 2, options(13), {}, {parts()}).leaky());
  SplitOptions haloed = options(11);
  haloed.halo_px = 1;
  EXPECT_TRUE(make_split({labels()}, 2, haloed, {}, {parts()}).leaky());
  LabelImage sides = image(1);
  fill(sides, 0, 40, kRows, 20, 0);
  fill(sides, 0, 50, kRows, 10, 3);
  EXPECT_FALSE(make_split({labels()}, 2, options(11), {}, {sides}).leaky());
  EXPECT_TRUE(make_split({labels()}, 2, options(13), {}, {sides}).leaky());
}

TEST(SplitByFile, RefusesImagesThatDoNotFit) {
  EXPECT_THROW(make_split({labels()}, 2, options(5), {}, {}), InputError);
  LabelImage small{2, 2, {1, 1, 3, 3}};
  EXPECT_THROW(make_split({labels()}, 2, options(5), {}, {small}), InputError);
  LabelImage wrong = parts();
  wrong.at(3, 3) = 4;
  EXPECT_THROW(make_split({labels()}, 2, options(5), {}, {wrong}), InputError);
  EXPECT_THROW(make_split({labels()}, 2, options(5), {}, {image(1)}), InputError);
  EXPECT_THROW(make_split({labels()}, 2, options(5), {}, {image(3)}), InputError);
}

}  // namespace
}  // namespace oida
