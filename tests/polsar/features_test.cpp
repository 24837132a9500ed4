#include "polsar/features.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "polsar/conversion.hpp"
#include "windows.hpp"

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

/// Every feature that the pair allows.
FeatureRecipe all_features(ChannelPair pair, const char* filter) {
  return make_recipe(allowed_features(pair), filter, pair);
}

void expect_same(const FeatureWindow& tile, const FeatureWindow& whole, int top, int left) {
  for (int row = 0; row < tile.rows; ++row) {
    for (int col = 0; col < tile.cols; ++col) {
      const auto at = static_cast<std::size_t>((top + row) * whole.cols + left + col);
      ASSERT_EQ(tile.valid[static_cast<std::size_t>(row * tile.cols + col)], whole.valid[at]);
      for (int c = 0; c < tile.channels; ++c) {
        ASSERT_EQ(tile.pixel(row, col)[c], whole.pixel(top + row, left + col)[c]);
      }
    }
  }
}

// A tile with its halo gives, bit by bit, what the whole scene gives there, at edges too.
TEST(Features, DoNotDependOnTheTile) {
  const MatrixWindow whole = test::holed_window(27, 29);
  const int rows = 10, cols = 11;
  for (const char* filter : {"none", "boxcar:5", "refined_lee:7:4", "refined_lee:9"}) {
    const FeatureRecipe recipe = all_features(ChannelPair::none, filter);
    const FeatureWindow want = make_features(whole, recipe, {});
    for (const int top : {0, 1, 5, 17}) {
      for (const int left : {0, 2, 6, 18}) {
        const int margin = recipe.halo_px();
        const Halo halo{std::min(top, margin), std::min(left, margin),
                        std::min(27 - top - rows, margin), std::min(29 - left - cols, margin)};
        const MatrixWindow tile =
            test::part_of(whole, top - halo.top, left - halo.left, rows + halo.top + halo.bottom,
                          cols + halo.left + halo.right);
        const FeatureWindow features = make_features(tile, recipe, halo);
        ASSERT_EQ(features.rows, rows);
        ASSERT_EQ(features.cols, cols);
        expect_same(features, want, top, left);
      }
    }
  }
}

// What an invalid pixel holds makes no difference to any other.
TEST(Features, NothingLeaksFromInvalidPixels) {
  MatrixWindow window = test::holed_window(20, 21);
  MatrixWindow clean = window;
  for (std::size_t i = 0; i < window.pixels(); ++i) {
    if (window.valid[i] == 0) test::set_matrix(clean, i, {});
  }
  for (const char* filter : {"none", "boxcar:3", "refined_lee:7:4"}) {
    const FeatureRecipe recipe = all_features(ChannelPair::none, filter);
    const FeatureWindow a = make_features(window, recipe, {});
    EXPECT_EQ(a.values, make_features(clean, recipe, {}).values);
    EXPECT_EQ(a.valid, window.valid);
    for (const float value : a.values) ASSERT_TRUE(std::isfinite(value));
  }
}

// The same scattering as S2, C3, T3, C4 and T4 gives the same features.
TEST(Features, DoNotDependOnTheFormOfTheMatrix) {
  MatrixWindow s2 = make_window(MatrixKind::s2, ChannelPair::none, 6, 7);
  for (std::size_t i = 0; i < s2.planes.size(); ++i) {
    Random random(i, Purpose::test);
    s2.planes[i] = static_cast<float>(random.normal());
  }
  audit(s2);
  for (const auto pair : {ChannelPair::none, ChannelPair::pp1, ChannelPair::pp2, ChannelPair::pp3,
                          ChannelPair::rh_rv}) {
    const FeatureRecipe recipe = all_features(pair, "boxcar:3");
    const FeatureWindow want = make_features(s2, recipe, {});
    for (const auto kind : {MatrixKind::c3, MatrixKind::t3, MatrixKind::c4, MatrixKind::t4}) {
      const FeatureWindow found = make_features(convert(s2, kind), recipe, {});
      for (std::size_t k = 0; k < want.values.size(); ++k) {
        ASSERT_NEAR(found.values[k], want.values[k], 1e-5F * (1.0F + std::abs(want.values[k])))
            << name(kind) << " " << name(pair) << " " << k;
      }
    }
  }
}

// One pixel with HH = 2, VV = i, HV = VH = 0.5, by hand.
TEST(Features, OfAKnownScatterer) {
  MatrixWindow s2 = make_window(MatrixKind::s2, ChannelPair::none, 1, 1);
  s2.planes = {2, 0, 0.5F, 0, 0.5F, 0, 0, 1};
  audit(s2);
  const auto expect = [&](const char* features, ChannelPair pair, const std::vector<double>& want) {
    const FeatureWindow found = make_features(s2, make_recipe(features, "none", pair), {});
    ASSERT_EQ(found.values.size(), want.size());
    for (std::size_t c = 0; c < want.size(); ++c) {
      EXPECT_NEAR(static_cast<double>(found.values[c]), want[c], 1e-5) << features << " " << c;
    }
  };
  const double span = std::log10(4 + 1 + 0.5);
  const double first = std::acos(std::sqrt(2.5 / 5.5)) * 180.0 / std::acos(-1.0);
  expect("span", ChannelPair::none, {span});
  expect("pauli, span", ChannelPair::none,
         {std::log10(2.5), std::log10(0.5), std::log10(2.5), span});
  expect("ratios", ChannelPair::none, {std::log10(1.0 / 4), std::log10(0.25 / 4)});
  expect("log_c2, ratios, span", ChannelPair::pp1,
         {std::log10(4), std::log10(0.25), 1, 0, std::log10(0.25 / 4), std::log10(4.25)});
  expect("log_c2", ChannelPair::pp2, {0, std::log10(0.25), 0, 1});
  expect("log_c2", ChannelPair::pp3, {std::log10(4), 0, 0, -1});
  const FeatureWindow pure = make_features(s2, make_recipe("haalpha", "none", {}), {});
  EXPECT_NEAR(pure.values[0], 0.0F, 1e-5F);
  EXPECT_NEAR(static_cast<double>(pure.values[2]), first, 1e-2);
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
  for (const auto pair :
       {ChannelPair::none, ChannelPair::pp1, ChannelPair::pp2, ChannelPair::pp3}) {
    const FeatureRecipe recipe = all_features(pair, "none");
    const FeatureWindow a = make_features(seen, recipe, {});
    const FeatureWindow b = make_features(mirrored, recipe, {});
    const auto signs = mirror_signs(recipe);
    ASSERT_EQ(signs.size(), channel_names(recipe).size());
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      ASSERT_NEAR(a.values[i] * signs[i % signs.size()], b.values[i], 1e-4F)
          << name(pair) << " " << i;
    }
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
  EXPECT_EQ(make_recipe("auto", "none", ChannelPair::none).features.front(), "log_t3");
  EXPECT_EQ(make_recipe("auto", "none", ChannelPair::pp3).features.front(), "log_c2");
  const FeatureRecipe two = make_recipe(" span ,log_t3", "boxcar:3", ChannelPair::none);
  EXPECT_EQ(features_text(two), "span, log_t3");
  EXPECT_EQ(make_recipe(features_text(two), to_text(two.filter), two.pair), two);
  EXPECT_EQ(channel_names(two).front(), "log10 span");
  MatrixWindow window = test::random_window(3, 3, 1);
  EXPECT_THROW(make_features(window, {}, {}), Error) << "not audited";
  audit(window);
  EXPECT_THROW(make_features(window, {}, {2, 0, 2, 0}), Error);
}

TEST(Features, OfAC2AreNotThoseOfAnother) {
  const MatrixKind c2 = MatrixKind::c2;
  const FeatureRecipe of_pp1 = make_recipe("auto", "none", ChannelPair::pp1);
  EXPECT_NO_THROW(require_fit(of_pp1, c2, ChannelPair::pp1, "scene"));
  EXPECT_NO_THROW(require_fit(of_pp1, MatrixKind::c3, ChannelPair::none, "scene"));
  EXPECT_THROW(require_fit(of_pp1, c2, ChannelPair::pp2, "scene"), InputError);
  EXPECT_THROW(require_fit({}, c2, ChannelPair::pp2, "scene"), InputError);
  MatrixWindow window = make_window(c2, ChannelPair::pp2, 1, 1);
  window.planes = {1, 0, 0, 1};
  audit(window);
  EXPECT_THROW(make_features(window, of_pp1, {}), InputError);
}

}  // namespace
}  // namespace oida
