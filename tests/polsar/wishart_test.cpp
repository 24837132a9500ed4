#include "polsar/wishart.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "polsar/matrix.hpp"

namespace oida {
namespace {

using Complex = std::complex<double>;
constexpr int kDraws = 40000;

const Coherency& sigma() {
  static const Coherency matrix = {{{Complex(3.0, 0.0), Complex(0.8, -0.6), Complex(0.1, 0.3)},
                                    {Complex(0.8, 0.6), Complex(1.0, 0.0), Complex(-0.2, 0.1)},
                                    {Complex(0.1, -0.3), Complex(-0.2, -0.1), Complex(0.5, 0.0)}}};
  return matrix;
}

/// Mean and variance of every element and of the span over many draws.
struct Moments {
  std::array<double, 9> mean{};
  std::array<double, 9> variance{};
  double span_mean = 0.0;
  double span_variance = 0.0;
};

Moments moments(int looks, double order) {
  const Coherency lower = cholesky(sigma());
  Moments m;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    Random random(11, Purpose::speckle, i);
    const double texture = order > 0.0 ? gamma_texture(order, random) : 1.0;
    const auto t = wishart_t3(lower, looks, texture, random);
    for (std::size_t e = 0; e < 9; ++e) {
      m.mean[e] += t[e] / kDraws;
      m.variance[e] += t[e] * t[e] / kDraws;
    }
    const double span = t[0] + t[5] + t[8];
    m.span_mean += span / kDraws;
    m.span_variance += span * span / kDraws;
  }
  for (std::size_t e = 0; e < 9; ++e) m.variance[e] -= m.mean[e] * m.mean[e];
  m.span_variance -= m.span_mean * m.span_mean;
  return m;
}

std::array<double, 9> elements(const Coherency& s) {
  return {s[0][0].real(), s[0][1].real(), s[0][1].imag(), s[0][2].real(), s[0][2].imag(),
          s[1][1].real(), s[1][2].real(), s[1][2].imag(), s[2][2].real()};
}

double trace_of_square(const Coherency& s) {
  double sum = 0.0;
  for (const auto& row : s) {
    for (const auto& element : row) sum += std::norm(element);
  }
  return sum;
}

TEST(Wishart, CholeskyFactorGivesTheMatrixBack) {
  const Coherency lower = cholesky(sigma());
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      Complex sum = 0.0;
      for (std::size_t k = 0; k < 3; ++k) sum += lower[i][k] * std::conj(lower[j][k]);
      EXPECT_NEAR(std::abs(sum - sigma()[i][j]), 0.0, 1e-14);
      EXPECT_TRUE(j <= i || lower[i][j] == Complex(0.0));
    }
  }
}

TEST(Wishart, RefusesWhatIsNotPositiveDefinite) {
  Coherency singular = sigma();
  singular[2][2] = 0.0;
  EXPECT_THROW(cholesky(singular), Error);
  Random random(1, Purpose::test);
  EXPECT_THROW(wishart_t3(cholesky(sigma()), 0, 1.0, random), Error);
  EXPECT_THROW(gamma_texture(0.0, random), Error);
}

TEST(Wishart, MeanIsTheCoherency) {
  const Moments m = moments(4, 0.0);
  const auto want = elements(sigma());
  for (std::size_t e = 0; e < 9; ++e) {
    EXPECT_NEAR(m.mean[e], want[e], 5.0 * std::sqrt(m.variance[e] / kDraws)) << e;
  }
}

// Lee and Pottier 2009, section 4.3: a channel's intensity has variance mean^2 / L, the span
// tr(sigma^2) / L, so that both give back the number of looks.
TEST(Wishart, EquivalentNumberOfLooks) {
  for (const int looks : {1, 4, 9}) {
    const Moments m = moments(looks, 0.0);
    for (const std::size_t diagonal : {0U, 5U, 8U}) {
      const double enl = m.mean[diagonal] * m.mean[diagonal] / m.variance[diagonal];
      EXPECT_NEAR(enl / looks, 1.0, 0.06) << diagonal;
    }
    EXPECT_NEAR(trace_of_square(sigma()) / m.span_variance / looks, 1.0, 0.06);
  }
}

// E |T12|^2 - |E T12|^2 = T11 T22 / L for circular Gaussian scattering.
TEST(Wishart, OffDiagonalVariance) {
  const Moments m = moments(4, 0.0);
  EXPECT_NEAR(m.variance[1] + m.variance[2], 3.0 * 1.0 / 4.0, 0.03);
  EXPECT_NEAR(m.variance[3] + m.variance[4], 3.0 * 0.5 / 4.0, 0.02);
  EXPECT_NEAR(m.variance[6] + m.variance[7], 1.0 * 0.5 / 4.0, 0.01);
}

// Three looks and more give full rank; one look a single scatterer.
TEST(Wishart, RankIsTheNumberOfLooks) {
  const Coherency lower = cholesky(sigma());
  Random random(3, Purpose::speckle);
  const auto one = eigenvalues_t3(wishart_t3(lower, 1, 1.0, random));
  EXPECT_NEAR(one[1] / one[0], 0.0, 1e-7);
  const auto four = eigenvalues_t3(wishart_t3(lower, 4, 1.0, random));
  EXPECT_GT(four[2] / four[0], 1e-5);
}

// Gamma of shape a scaled to unit mean: variance 1/a, third central moment 2/a^2.
TEST(Wishart, TextureHasTheMomentsOfTheGammaDistribution) {
  for (const double order : {0.5, 1.0, 4.0}) {
    double mean = 0.0, square = 0.0, cube = 0.0;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      Random random(4, Purpose::texture, i);
      const double x = gamma_texture(order, random);
      ASSERT_GE(x, 0.0);
      mean += x / kDraws;
      square += (x - 1.0) * (x - 1.0) / kDraws;
      cube += std::pow(x - 1.0, 3.0) / kDraws;
    }
    EXPECT_NEAR(mean, 1.0, 5.0 * std::sqrt(1.0 / order / kDraws)) << order;
    EXPECT_NEAR(square * order, 1.0, 0.08) << order;
    EXPECT_NEAR(cube * order * order / 2.0, 1.0, 0.25) << order;
  }
}

// Product model: 1 + variance / mean^2 = (1 + 1/order)(1 + 1/L).
TEST(Wishart, TextureAndSpeckleMultiply) {
  const Moments m = moments(4, 5.0);
  EXPECT_NEAR(m.mean[0], 3.0, 0.05);
  EXPECT_NEAR(m.variance[0] / (m.mean[0] * m.mean[0]), 1.2 * 1.25 - 1.0, 0.03);
}

}  // namespace
}  // namespace oida
