#include "polsar/matrix_jitter.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace oida {
namespace {

using Complex = std::complex<double>;
using Elements = std::array<double, 9>;

/// Reciprocal scattering matrix: HH, HV, VV.
using Scattering = std::array<Complex, 3>;

std::vector<Scattering> scatterers() {
  Random random(4, Purpose::test);
  std::vector<Scattering> all(5);
  for (auto& s : all) {
    for (auto& channel : s) {
      const double real = random.normal();
      channel = {real, random.normal()};
    }
  }
  return all;
}

/// Mean of k k^H, k = (HH + VV, HH - VV, 2 HV) / sqrt 2.
Elements coherency(const std::vector<Scattering>& all) {
  Elements t{};
  for (const auto& [hh, hv, vv] : all) {
    const Complex k[3] = {(hh + vv) * std::sqrt(0.5), (hh - vv) * std::sqrt(0.5),
                          hv * std::sqrt(2.0)};
    const Complex t12 = k[0] * std::conj(k[1]), t13 = k[0] * std::conj(k[2]),
                  t23 = k[1] * std::conj(k[2]);
    const Elements one = {std::norm(k[0]), t12.real(), t12.imag(), t13.real(),     t13.imag(),
                          std::norm(k[1]), t23.real(), t23.imag(), std::norm(k[2])};
    for (std::size_t i = 0; i < 9; ++i) t[i] += one[i] / static_cast<double>(all.size());
  }
  return t;
}

void expect_equal(const Elements& found, const Elements& wanted) {
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(found[i], wanted[i], 1e-12) << kT3Elements[i];
}

/// The antenna turned by an angle a sees R S R^T, R = [cos a, sin a; -sin a, cos a].
TEST(MatrixJitter, TurnsAsATurnedAntennaSees) {
  for (const double angle : {0.3, -1.1, std::numbers::pi / 2}) {
    const double c = std::cos(angle), s = std::sin(angle);
    auto turned = scatterers();
    for (auto& [hh, hv, vv] : turned) {
      const Scattering seen = {c * c * hh + 2.0 * c * s * hv + s * s * vv,
                               c * s * (vv - hh) + (c * c - s * s) * hv,
                               s * s * hh - 2.0 * c * s * hv + c * c * vv};
      hh = seen[0];
      hv = seen[1];
      vv = seen[2];
    }
    Elements t = coherency(scatterers());
    turn_t3(t, angle);
    expect_equal(t, coherency(turned));
  }
}

/// Reflection in the plane of incidence: HV and VH change sign.
TEST(MatrixJitter, AMirrorImageIsTheMirrorSignsOfTheFeatures) {
  auto mirrored = scatterers();
  for (auto& s : mirrored) s[1] = -s[1];
  const Elements t = coherency(scatterers()), seen = coherency(mirrored);
  const auto& groups = feature_groups(ChannelPair::none);
  for (const FeatureGroup& group : groups) {
    std::vector<float> plain(group.channels.size()), other(group.channels.size());
    group.put(t, plain.data());
    group.put(seen, other.data());
    for (std::size_t c = 0; c < plain.size(); ++c) {
      EXPECT_NEAR(other[c], group.mirror_signs[c] * plain[c], 1e-4F) << group.channels[c];
    }
  }
}

/// Goodman (1963): mean T, and <|T'ij - Tij|^2> = Tii Tjj / n.
TEST(MatrixJitter, RedrawsWithTheMomentsOfTheWishartDistribution) {
  const Elements t = coherency(scatterers());
  constexpr int kDraws = 40'000;
  for (const int looks : {3, 10}) {
    Random random(8, Purpose::test);
    Elements sum{}, squares{};
    for (int draw = 0; draw < kDraws; ++draw) {
      Elements other = t;
      redraw_t3(other, looks, random);
      for (std::size_t i = 0; i < 9; ++i) {
        sum[i] += other[i];
        squares[i] += (other[i] - t[i]) * (other[i] - t[i]);
      }
    }
    const double power[3] = {t[0], t[5], t[8]};
    const std::array<std::array<std::size_t, 4>, 6> elements = {
        {{0, 0, 0, 0}, {5, 5, 1, 1}, {8, 8, 2, 2}, {1, 2, 0, 1}, {3, 4, 0, 2}, {6, 7, 1, 2}}};
    for (const auto& [real, imaginary, i, j] : elements) {
      const double spread = power[i] * power[j] / looks;
      const double error = 5 * std::sqrt(spread / kDraws);
      EXPECT_NEAR(sum[real] / kDraws, t[real], error) << kT3Elements[real];
      EXPECT_NEAR(sum[imaginary] / kDraws, t[imaginary], error) << kT3Elements[imaginary];
      const double both = real == imaginary ? squares[real] : squares[real] + squares[imaginary];
      EXPECT_NEAR(both / kDraws, spread, 0.06 * spread) << kT3Elements[real] << " " << looks;
    }
  }
}

TEST(MatrixJitter, LeavesWhatIsNotPositiveDefinite) {
  Elements t = {1, 2, 0, 0, 0, 1, 0, 0, 1};
  const Elements before = t;
  Random random(1, Purpose::test);
  redraw_t3(t, 4, random);
  EXPECT_EQ(t, before);
}

FeatureRecipe recipe() {
  return make_recipe("log_t3", "none", ChannelPair::none);
}

Normaliser normaliser() {
  return {{1, 0.5F, -1, 0, 0.25F, 0, 0, 0, 0.125F}, {2, 1, 0.5F, 1, 2, 1, 1, 4, 1}};
}

/// Normalised features of a matrix.
std::array<float, 9> pixel_of(const Elements& t) {
  std::array<float, 9> pixel{};
  feature_groups(ChannelPair::none).front().put(t, pixel.data());
  const Normaliser n = normaliser();
  for (std::size_t c = 0; c < 9; ++c) pixel[c] = (pixel[c] - n.mean[c]) * n.inverse_deviation[c];
  return pixel;
}

/// Two equal pixels with a stride of 10, an empty one between.
std::vector<float> patch() {
  std::vector<float> values(30, 0.0F);
  const auto pixel = pixel_of(coherency(scatterers()));
  std::copy(pixel.begin(), pixel.end(), values.begin());
  std::copy(pixel.begin(), pixel.end(), values.begin() + 20);
  return values;
}

TEST(MatrixJitter, TurnsAllPixelsOfAPatchByOneAngle) {
  const MatrixJitter jitter({40, 0}, recipe(), normaliser());
  const Random random(3, Purpose::test);
  auto values = patch();
  jitter.apply(values.data(), 3, 10, random);
  Random angles = random;
  Elements t = coherency(scatterers());
  turn_t3(t, 40 * std::numbers::pi / 180 * (2 * static_cast<double>(angles.uniform()) - 1));
  const auto wanted = pixel_of(t);
  for (std::size_t c = 0; c < 9; ++c) {
    EXPECT_NEAR(values[c], wanted[c], 1e-4F) << c;
    EXPECT_EQ(values[10 + c], 0.0F);
    EXPECT_EQ(values[20 + c], values[c]);
  }
  EXPECT_GT(std::abs(values[2] - patch()[2]), 1e-3F);
}

TEST(MatrixJitter, DrawsSpecklePixelByPixel) {
  const MatrixJitter jitter({0, 8}, recipe(), normaliser());
  auto values = patch(), again = patch();
  jitter.apply(values.data(), 3, 10, Random(3, Purpose::test));
  jitter.apply(again.data(), 3, 10, Random(3, Purpose::test));
  EXPECT_EQ(values, again);
  EXPECT_NE(values[0], values[20]);
  EXPECT_NE(values[0], patch()[0]);
  for (std::size_t c = 10; c < 20; ++c) EXPECT_EQ(values[c], 0.0F);
}

TEST(MatrixJitter, RefusesOtherFeaturesAndTooFewLooks) {
  const auto other = make_recipe("pauli", "none", ChannelPair::none);
  EXPECT_THROW(MatrixJitter({10, 0}, other, {}), InputError);
  EXPECT_THROW(MatrixJitter({0, 4}, other, {}), InputError);
  EXPECT_THROW(MatrixJitter({0, 2}, recipe(), {}), InputError);
}

}  // namespace
}  // namespace oida
