#include "polsar/features.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "samples.hpp"

namespace oida {
namespace {

using test::Complex;

SpeckleFilter mean_of(int side_px) {
  return {SpeckleFilter::Kind::boxcar, side_px, 1.0};
}

/// The definition in features.hpp, in plain complex arithmetic.
std::array<double, 9> plain_features(const std::array<double, 9>& t) {
  const double span = t[0] + t[5] + t[8];
  std::array<double, 3> power = {t[0], t[5], t[8]};
  for (double& p : power) {
    if (p < 0.001 * span) p = 0.001 * span;
  }
  std::array<double, 9> features = {std::log10(power[0]), std::log10(power[1]),
                                    std::log10(power[2])};
  const std::array<Complex, 3> off = {Complex(t[1], t[2]), Complex(t[3], t[4]),
                                      Complex(t[6], t[7])};
  const std::array<std::array<std::size_t, 2>, 3> pairs = {{{0, 1}, {0, 2}, {1, 2}}};
  for (std::size_t i = 0; i < 3; ++i) {
    Complex rho = off[i] / std::sqrt(power[pairs[i][0]] * power[pairs[i][1]]);
    if (std::abs(rho) > 1.0) rho = std::polar(1.0, std::arg(rho));
    features[3 + 2 * i] = rho.real();
    features[4 + 2 * i] = rho.imag();
  }
  return features;
}

/// Counts off-diagonal lengths above 1 and values that are not finite.
void expect_bounded(const FeatureWindow& features) {
  for (std::size_t i = 0; i < features.valid.size(); ++i) {
    const float* pixel = features.values.data() + i * 9;
    for (int c = 0; c < 9; ++c) ASSERT_TRUE(std::isfinite(pixel[c])) << i << " " << c;
    for (int c = 3; c < 9; c += 2) ASSERT_LE(std::hypot(pixel[c], pixel[c + 1]), 1.0F + 1e-6F) << i;
  }
}

TEST(Features, AreTheirDefinitionOnAllOfFlevoland) {
  OIDA_NEEDS_DATA();
  MatrixWindow window = test::flevoland();
  audit(window);
  const FeatureWindow features = make_features(window, {}, {});
  ASSERT_EQ(features.channels, 9);
  expect_bounded(features);
  for (std::size_t i = 0; i < window.pixels(); ++i) {
    const auto want = plain_features(test::matrix_at(window, i));
    for (std::size_t c = 0; c < 9; ++c) {
      ASSERT_NEAR(static_cast<double>(features.values[i * 9 + c]), want[c], 1e-6) << i << " " << c;
    }
  }
}

TEST(Features, OfAKnownMatrix) {
  MatrixWindow window = test::random_window(1, 1, 1);
  test::set_matrix(window, 0, {100, 5, -4, 0.5, 0, 1, 0, 0.05, 0.01});
  audit(window);
  const FeatureWindow features = make_features(window, {}, {});
  const double t33 = 0.10101;  // the floor: a thousandth of the span
  const std::array<double, 9> want = {2.0, 0.0,  std::log10(t33),
                                      0.5, -0.4, 0.5 / std::sqrt(100 * t33),
                                      0,   0,    0.05 / std::sqrt(t33)};
  for (std::size_t c = 0; c < 9; ++c) {
    EXPECT_NEAR(static_cast<double>(features.values[c]), want[c], 1e-6) << c;
  }
}

TEST(Features, StayFiniteAtTheEndsOfFloat32) {
  const auto most = static_cast<double>(std::numeric_limits<float>::max());
  const auto least = static_cast<double>(std::numeric_limits<float>::denorm_min());
  MatrixWindow window = test::random_window(1, 5, 1);
  test::set_matrix(window, 0, {most, most, most, most, most, most, most, most, most});
  test::set_matrix(window, 1, {least, least, 0, 0, 0, 0, 0, 0, 0});
  test::set_matrix(window, 2, {1, most, -most, 0, most, -0.5, most, 0, -0.4});
  test::set_matrix(window, 3, {0, 0, 0, 0, 0, 0, 1, 1, 2});
  test::set_matrix(window, 4, {least, 0, 0, 0, 0, 0, 0, 0, 0});
  audit(window);
  EXPECT_EQ(window.valid, std::vector<std::uint8_t>(5, 1));
  for (const int side : {1, 3})
    expect_bounded(make_features(window, {{"log_t3"}, mean_of(side)}, {}));
}

// Three powers of the smallest float: every mean of them rounds to nothing.
TEST(Features, StayFiniteWhereTheMeanRoundsToNothing) {
  const auto least = static_cast<double>(std::numeric_limits<float>::denorm_min());
  MatrixWindow window = test::random_window(1, 3, 1);
  test::set_matrix(window, 0, {least, 0, 0, 0, 0, 0, 0, 0, 0});
  test::set_matrix(window, 1, {0, 0, 0, 0, 0, least, 0, 0, 0});
  test::set_matrix(window, 2, {0, 0, 0, 0, 0, 0, 0, 0, least});
  audit(window);
  expect_bounded(make_features(window, {{"log_t3"}, mean_of(3)}, {}));
}

TEST(Features, InvalidPixelsAreZero) {
  MatrixWindow window = test::random_window(3, 4, 2);
  window.plane(2)[5] = std::numeric_limits<float>::quiet_NaN();
  audit(window);
  const FeatureWindow features = make_features(window, {{"log_t3"}, mean_of(3)}, {});
  EXPECT_EQ(features.valid, window.valid);
  EXPECT_EQ(features.valid[5], 0);
  for (int c = 0; c < 9; ++c) EXPECT_EQ(features.pixel(1, 1)[c], 0.0F);
  expect_bounded(features);
}

// A tile with its halo gives, bit by bit, what the whole scene gives there, at edges too.
TEST(Features, DoNotDependOnTheTile) {
  MatrixWindow whole = test::random_window(17, 19, 4);
  for (std::size_t i = 0; i < whole.pixels(); i += 7) whole.plane(0)[i] = NAN;
  audit(whole);
  const FeatureRecipe recipe{{"log_t3"}, mean_of(5)};
  const FeatureWindow want = make_features(whole, recipe, {});
  const int rows = 6, cols = 7;
  for (const int top : {0, 1, 5, 11}) {
    for (const int left : {0, 2, 6, 12}) {
      const Halo halo{std::min(top, 2), std::min(left, 2), std::min(17 - top - rows, 2),
                      std::min(19 - left - cols, 2)};
      MatrixWindow tile;
      tile.rows = rows + halo.top + halo.bottom;
      tile.cols = cols + halo.left + halo.right;
      tile.planes.resize(9 * tile.pixels());
      for (std::size_t i = 0; i < tile.pixels(); ++i) {
        const int row = top - halo.top + static_cast<int>(i) / tile.cols;
        const int col = left - halo.left + static_cast<int>(i) % tile.cols;
        test::set_matrix(tile, i, test::matrix_at(whole, static_cast<std::size_t>(row * 19 + col)));
      }
      audit(tile);
      const FeatureWindow features = make_features(tile, recipe, halo);
      ASSERT_EQ(features.rows, rows);
      ASSERT_EQ(features.cols, cols);
      for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
          const auto at = static_cast<std::size_t>((top + row) * 19 + left + col);
          ASSERT_EQ(features.valid[static_cast<std::size_t>(row * cols + col)], want.valid[at]);
          for (int c = 0; c < 9; ++c) {
            ASSERT_EQ(features.pixel(row, col)[c], want.pixel(top + row, left + col)[c]);
          }
        }
      }
    }
  }
}

// The mirrored scene is the scene with HV -> -HV: its features are the scene's times the signs.
TEST(Features, MirrorSignsAreThoseOfHvReversed) {
  MatrixWindow seen = test::random_window(1, 40, 5);
  MatrixWindow mirrored = seen;
  for (std::size_t i = 0; i < seen.pixels(); ++i) {
    Random random(5, Purpose::test, i);
    const auto draw = [&] { return Complex(random.normal(), 0.5 * random.normal()); };
    const Complex hh = draw(), hv = draw(), vv = draw();
    const double root = std::sqrt(0.5);
    test::set_matrix(seen, i, test::outer({root * (hh + vv), root * (hh - vv), root * 2.0 * hv}));
    test::set_matrix(mirrored, i,
                     test::outer({root * (hh + vv), root * (hh - vv), root * 2.0 * -hv}));
  }
  audit(seen);
  audit(mirrored);
  const FeatureWindow a = make_features(seen, {}, {});
  const FeatureWindow b = make_features(mirrored, {}, {});
  const auto signs = mirror_signs({});
  ASSERT_EQ(signs.size(), 9U);
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    ASSERT_NEAR(a.values[i] * signs[i % 9], b.values[i], 1e-6F) << i;
  }
}

TEST(Features, RecipeIsChecked) {
  EXPECT_EQ(channels({}), 9);
  EXPECT_EQ(channel_names({}).size(), 9U);
  EXPECT_EQ((FeatureRecipe{{"log_t3"}, mean_of(7)}.halo_px()), 3);
  EXPECT_EQ((FeatureRecipe{}.halo_px()), 0);
  EXPECT_THROW(make_recipe("log_t4", "none", ChannelPair::none), InputError);
  EXPECT_THROW(make_recipe("log_t3,", "none", ChannelPair::none), InputError);
  EXPECT_THROW(make_recipe("", "none", ChannelPair::none), InputError);
  EXPECT_THROW(make_recipe("span, span", "none", ChannelPair::none), InputError);
  EXPECT_THROW(make_recipe("log_t3", "none", ChannelPair::pp1), InputError);
  MatrixWindow window = test::random_window(3, 3, 1);
  EXPECT_THROW(make_features(window, {}, {}), Error) << "not audited";
  audit(window);
  EXPECT_THROW(make_features(window, {}, {2, 0, 2, 0}), Error);
}

}  // namespace
}  // namespace oida
