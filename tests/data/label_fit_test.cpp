#include "data/label_fit.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "scenes.hpp"

namespace oida {
namespace {

constexpr int kRows = 120, kCols = 90, kClasses = 5;

LabelRaster raster() {
  const LabelImage image = test::fields(kRows, kCols, kClasses, 11);
  LabelRaster out;
  out.rows = kRows;
  out.cols = kCols;
  out.ids = image.classes;
  return out;
}

/// A T3 whose powers go by class, with a little noise; strips of 50 rows.
LabelFit fit_of(const LabelRaster& labels) {
  LabelFit fit(kRows, kCols);
  for (int first = 0; first < kRows; first += 50) {
    const int rows = std::min(50, kRows - first);
    MatrixWindow strip = make_window(MatrixKind::t3, ChannelPair::none, rows, kCols);
    for (std::size_t i = 0; i < strip.pixels(); ++i) {
      const std::size_t at = static_cast<std::size_t>(first * kCols) + i;
      Random random(5, Purpose::test, at);
      for (const std::size_t e : diagonal(strip.kind)) {
        const int level = static_cast<int>((labels.ids[at] * (e + 3)) % 7);
        strip.plane(e)[i] =
            std::exp(0.5F * static_cast<float>(level) + 0.3F * static_cast<float>(random.normal()));
      }
    }
    audit(strip);
    fit.add(strip, first);
  }
  return fit;
}

/// Row r, column c of `labels` come to (r + down, c + right).
LabelRaster moved(const LabelRaster& labels, int down, int right) {
  LabelRaster out = labels;
  for (int row = 0; row < kRows; ++row) {
    for (int col = 0; col < kCols; ++col) {
      const int y = row - down, x = col - right;
      const bool inside = y >= 0 && y < kRows && x >= 0 && x < kCols;
      out.ids[static_cast<std::size_t>(row * kCols + col)] =
          inside ? labels.ids[static_cast<std::size_t>(y * kCols + x)] : std::uint8_t{0};
    }
  }
  return out;
}

TEST(LabelFit, HasNoDoubtOfLabelsInTheirPlace) {
  const LabelRaster labels = raster();
  EXPECT_EQ(fit_of(labels).doubt(labels), "");
}

TEST(LabelFit, SaysWhichWayLabelsAreMirrored) {
  const LabelRaster labels = raster();
  const LabelFit fit = fit_of(labels);
  LabelRaster turned = labels;
  std::reverse(turned.ids.begin(), turned.ids.end());
  EXPECT_NE(fit.doubt(turned).find("turned by 180 degrees"), std::string::npos);
  LabelRaster flipped = labels;
  for (int row = 0; row < kRows; ++row) {
    std::copy_n(labels.ids.begin() + row * kCols, kCols,
                flipped.ids.begin() + (kRows - 1 - row) * kCols);
  }
  EXPECT_NE(fit.doubt(flipped).find("upside down"), std::string::npos) << fit.doubt(flipped);
  std::reverse(flipped.ids.begin(), flipped.ids.end());
  EXPECT_NE(fit.doubt(flipped).find("mirrored left to right"), std::string::npos);
}

TEST(LabelFit, SaysByHowManyRowsOrColumnsLabelsAreOff) {
  const LabelRaster labels = raster();
  const LabelFit fit = fit_of(labels);
  EXPECT_NE(fit.doubt(moved(labels, 9, 0)).find(" 9 rows higher"), std::string::npos);
  EXPECT_NE(fit.doubt(moved(labels, -9, 0)).find(" 9 rows lower"), std::string::npos);
  EXPECT_NE(fit.doubt(moved(labels, 0, 4)).find(" 4 columns to the left"), std::string::npos);
  EXPECT_NE(fit.doubt(moved(labels, 0, -4)).find(" 4 columns to the right"), std::string::npos);
}

TEST(LabelFit, HasNoDoubtWhereNothingIsExplained) {
  LabelRaster labels = raster();
  const LabelFit fit = fit_of(labels);
  std::fill(labels.ids.begin(), labels.ids.end(), std::uint8_t{0});
  EXPECT_EQ(fit.doubt(labels), "");
}

}  // namespace
}  // namespace oida
