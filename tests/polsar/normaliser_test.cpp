#include "polsar/normaliser.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/rng.hpp"

namespace oida {
namespace {

/// Channels: normal around 3 with deviation 2, constant 7, constant 0, small around -1000.
FeatureWindow some_features(int pixels) {
  FeatureWindow window{
      1, pixels, 4, {}, std::vector<std::uint8_t>(static_cast<std::size_t>(pixels), 1)};
  Random random(1, Purpose::test);
  for (int i = 0; i < pixels; ++i) {
    window.values.push_back(static_cast<float>(3.0 + 2.0 * random.normal()));
    window.values.insert(window.values.end(), {7.0F, 0.0F});
    window.values.push_back(static_cast<float>(-1000.0 + random.normal()));
  }
  return window;
}

NormaliserFit sums_of(const FeatureWindow& window, int first, int last) {
  NormaliserFit fit(window.channels);
  for (int i = first; i < last; ++i) fit.add(window.pixel(0, i));
  return fit;
}

TEST(Normaliser, GivesZeroMeanAndUnitVariance) {
  FeatureWindow window = some_features(1000);
  const Normaliser normaliser = Normaliser::fit(sums_of(window, 0, 1000));
  normaliser.apply(window);
  for (const int channel : {0, 3}) {
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < 1000; ++i) {
      const auto x = static_cast<double>(window.pixel(0, i)[channel]);
      sum += x;
      squares += x * x;
    }
    EXPECT_NEAR(sum / 1000, 0.0, 1e-4);
    EXPECT_NEAR(squares / 1000, 1.0, 1e-4);
  }
}

TEST(Normaliser, LeavesTheScaleOfAConstantChannel) {
  const Normaliser normaliser = Normaliser::fit(sums_of(some_features(1000), 0, 1000));
  EXPECT_EQ(normaliser.mean[1], 7.0F);
  EXPECT_EQ(normaliser.inverse_deviation[1], 1.0F);
  EXPECT_EQ(normaliser.mean[2], 0.0F);
  EXPECT_EQ(normaliser.inverse_deviation[2], 1.0F);
}

TEST(Normaliser, SumsAddUpOverRanks) {
  const FeatureWindow window = some_features(1000);
  NormaliserFit first = sums_of(window, 0, 300);
  const NormaliserFit second = sums_of(window, 300, 1000);
  for (std::size_t i = 0; i < first.sums().size(); ++i) first.sums()[i] += second.sums()[i];
  const Normaliser together = Normaliser::fit(first);
  const Normaliser at_once = Normaliser::fit(sums_of(window, 0, 1000));
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_FLOAT_EQ(together.mean[c], at_once.mean[c]);
    EXPECT_NEAR(together.inverse_deviation[c], at_once.inverse_deviation[c], 1e-5F);
  }
}

TEST(Normaliser, LeavesInvalidPixelsZero) {
  FeatureWindow window = some_features(10);
  const Normaliser normaliser = Normaliser::fit(sums_of(window, 0, 10));
  window.valid[4] = 0;
  for (int c = 0; c < 4; ++c) window.pixel(0, 4)[c] = 0.0F;
  normaliser.apply(window);
  for (int c = 0; c < 4; ++c) EXPECT_EQ(window.pixel(0, 4)[c], 0.0F);
  EXPECT_NE(window.pixel(0, 5)[0], 0.0F);
}

TEST(Normaliser, RefusesWhatItCannotFit) {
  EXPECT_THROW(Normaliser::fit(NormaliserFit(2)), Error);
  NormaliserFit broken(1);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  broken.add(&nan);
  EXPECT_THROW(Normaliser::fit(broken), Error);
  FeatureWindow window = some_features(3);
  EXPECT_THROW((Normaliser{{0.0F}, {1.0F}}).apply(window), Error);
}

}  // namespace
}  // namespace oida
