#include "polsar/matrix.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "samples.hpp"

namespace oida {
namespace {

using test::Complex;
using Matrix = std::array<std::array<Complex, 3>, 3>;

Matrix full(const std::array<double, 9>& t) {
  const Complex x(t[1], t[2]), y(t[3], t[4]), z(t[6], t[7]);
  return {{{t[0], x, y}, {std::conj(x), t[5], z}, {std::conj(y), std::conj(z), t[8]}}};
}

Complex determinant(const Matrix& m) {
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/// Columns: an orthonormal basis by Gram and Schmidt from random vectors.
Matrix random_unitary(Random& random) {
  Matrix columns{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (auto& component : columns[i]) {
      const double real = random.normal();
      component = {real, random.normal()};
    }
    for (std::size_t j = 0; j < i; ++j) {
      Complex along = 0.0;
      for (std::size_t r = 0; r < 3; ++r) along += std::conj(columns[j][r]) * columns[i][r];
      for (std::size_t r = 0; r < 3; ++r) columns[i][r] -= along * columns[j][r];
    }
    double power = 0.0;
    for (const auto& component : columns[i]) power += std::norm(component);
    for (auto& component : columns[i]) component /= std::sqrt(power);
  }
  return columns;
}

std::array<double, 9> compose(const Matrix& columns, const std::array<double, 3>& lambda) {
  std::array<double, 9> t{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto term = test::outer(columns[i]);
    for (std::size_t e = 0; e < 9; ++e) t[e] += lambda[i] * term[e];
  }
  return t;
}

TEST(Eigenvalues, OfAKnownDecomposition) {
  const std::vector<std::array<double, 3>> spectra = {{3.0, 2.0, 1.0},       {5.0, 0.1, -0.7},
                                                      {1.0, 1e-3, 0.0},      {-1.0, -2.0, -9.0},
                                                      {2e-20, 1e-20, 3e-22}, {4e12, 2e12, 1e12}};
  for (const auto& lambda : spectra) {
    for (std::uint64_t sample = 0; sample < 50; ++sample) {
      Random random(1, Purpose::test, sample);
      const auto found = eigenvalues_t3(compose(random_unitary(random), lambda));
      const double scale = std::max(std::abs(lambda[0]), std::abs(lambda[2]));
      for (std::size_t i = 0; i < 3; ++i) ASSERT_NEAR(found[i], lambda[i], 1e-13 * scale);
    }
  }
}

// A double root moves by the square root of a rounding error at worst.
TEST(Eigenvalues, OfRepeatedRoots) {
  for (const auto& lambda :
       std::vector<std::array<double, 3>>{{2, 2, 1}, {2, 1, 1}, {3, 3, 3}, {0, 0, 0}}) {
    for (std::uint64_t sample = 0; sample < 50; ++sample) {
      Random random(2, Purpose::test, sample);
      const auto found = eigenvalues_t3(compose(random_unitary(random), lambda));
      for (std::size_t i = 0; i < 3; ++i) ASSERT_NEAR(found[i], lambda[i], 1e-7);
    }
  }
}

TEST(Eigenvalues, MeetTraceDeterminantAndCharacteristicPolynomial) {
  const MatrixWindow window = test::random_window(20, 20, 3);
  for (std::size_t pixel = 0; pixel < window.pixels(); ++pixel) {
    const auto t = test::matrix_at(window, pixel);
    const auto lambda = eigenvalues_t3(t);
    ASSERT_GE(lambda[0], lambda[1]);
    ASSERT_GE(lambda[1], lambda[2]);
    const double trace = t[0] + t[5] + t[8];
    const double cube = trace * trace * trace;
    ASSERT_NEAR(lambda[0] + lambda[1] + lambda[2], trace, 1e-13 * trace);
    ASSERT_NEAR(lambda[0] * lambda[1] * lambda[2], determinant(full(t)).real(), 1e-13 * cube);
    for (const double root : lambda) {
      Matrix shifted = full(t);
      for (std::size_t i = 0; i < 3; ++i) shifted[i][i] -= root;
      ASSERT_NEAR(std::abs(determinant(shifted)), 0.0, 1e-13 * cube);
    }
  }
}

// l1, l2, l3 by PolSARpro, of the 3 x 3 mean of the same folder's T3. Its iteration stops at an
// absolute residual: the files are good to 4e-8, whatever the size of an eigenvalue.
TEST(Eigenvalues, AgreeWithPolsarpro) {
  OIDA_NEEDS_DATA();
  const auto folder = test::data_dir() / "flevoland_headerless_haalpha";
  const int rows = 128, cols = 256;
  const MatrixWindow window = test::read_t3(folder, rows, cols);
  const std::array<std::vector<float>, 3> reference = {
      test::read_raw(folder / "l1.bin", window.pixels()),
      test::read_raw(folder / "l2.bin", window.pixels()),
      test::read_raw(folder / "l3.bin", window.pixels())};
  for (int row = 1; row + 1 < rows; ++row) {
    for (int col = 1; col + 1 < cols; ++col) {
      std::array<double, 9> mean{};
      for (int k = 0; k < 9; ++k) {
        const int at = (row + k / 3 - 1) * cols + col + k % 3 - 1;
        const auto t = test::matrix_at(window, static_cast<std::size_t>(at));
        for (std::size_t e = 0; e < 9; ++e) mean[e] += t[e] / 9.0;
      }
      const auto lambda = eigenvalues_t3(mean);
      for (std::size_t i = 0; i < 3; ++i) {
        const auto want =
            static_cast<double>(reference[i][static_cast<std::size_t>(row * cols + col)]);
        ASSERT_NEAR(lambda[i], want, 4e-8) << row << " " << col << " " << i;
      }
    }
  }
}

TEST(Audit, FindsWhatIsKnownOfFlevoland) {
  OIDA_NEEDS_DATA();
  MatrixWindow window = test::flevoland();
  std::int64_t negative_t33 = 0, zero_t33 = 0, negative_any = 0, zero_any = 0;
  for (std::size_t i = 0; i < window.pixels(); ++i) {
    const float t11 = window.plane(0)[i], t22 = window.plane(5)[i], t33 = window.plane(8)[i];
    negative_t33 += t33 < 0.0F;
    zero_t33 += t33 == 0.0F;
    negative_any += t11 < 0.0F || t22 < 0.0F || t33 < 0.0F;
    zero_any += t11 == 0.0F || t22 == 0.0F || t33 == 0.0F;
  }
  EXPECT_EQ(negative_t33, 33);
  EXPECT_EQ(zero_t33, 2882);

  const Defects defects = audit(window);
  EXPECT_EQ(defects.pixels, 768000);
  EXPECT_EQ(defects.invalid, 0);
  EXPECT_EQ(defects.negative_power, negative_any);
  EXPECT_EQ(defects.zero_power, zero_any);
  EXPECT_EQ(defects.not_semidefinite, 50735);
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

MatrixWindow row_of(const std::vector<std::array<double, 9>>& matrices) {
  MatrixWindow window;
  window.rows = 1;
  window.cols = static_cast<int>(matrices.size());
  window.planes.resize(9 * matrices.size());
  for (std::size_t i = 0; i < matrices.size(); ++i) test::set_matrix(window, i, matrices[i]);
  return window;
}

TEST(Audit, CountsEachKindOfDefect) {
  MatrixWindow window = row_of({
      {2, 0, 0, 0, 0, 1, 0, 0, 1},          // sound
      {2, 0, 0, 0, kNan, 1, 0, 0, 1},       // invalid
      {2, 0, kInfinity, 0, 0, 1, 0, 0, 1},  // invalid
      {0, 0, 0, 0, 0, 0, 0, 0, 0},          // no power: invalid, not a zero power
      {1, 0, 0, 0, 0, 1, 0, 0, -3},         // negative span: invalid
      {2, 0, 0, 0, 0, 1, 0, 0, -0.1},       // negative, not semidefinite
      {2, 0, 0, 0, 0, 1, 0, 0, 0},          // zero, semidefinite
      {1, 1.5, 0, 0, 0, 1, 0, 0, 1},        // |T12| too long
      {2, 0, 0, 0, 0, 1, 0, 0, 1},          // masked below
  });
  window.valid = {1, 1, 1, 1, 1, 1, 1, 1, 0};
  const Defects defects = audit(window);
  EXPECT_EQ(window.valid, (std::vector<std::uint8_t>{1, 0, 0, 0, 0, 1, 1, 1, 0}));
  EXPECT_EQ(defects.pixels, 9);
  EXPECT_EQ(defects.invalid, 5);
  EXPECT_EQ(defects.negative_power, 1);
  EXPECT_EQ(defects.zero_power, 1);
  EXPECT_EQ(defects.not_semidefinite, 2);
}

TEST(Audit, RoundingIsNoDefect) {
  const double tiny = 1e-7, little = 1e-5;
  MatrixWindow window =
      row_of({{1, 0, 0, 0, 0, 1, 0, 0, -tiny}, {1, 0, 0, 0, 0, 1, 0, 0, -little}});
  EXPECT_EQ(audit(window).not_semidefinite, 1);
}

TEST(Audit, DefectsAddUp) {
  Defects sum{1, 2, 3, 4, 5};
  sum += {10, 20, 30, 40, 50};
  EXPECT_EQ(sum.pixels, 11);
  EXPECT_EQ(sum.invalid, 22);
  EXPECT_EQ(sum.negative_power, 33);
  EXPECT_EQ(sum.zero_power, 44);
  EXPECT_EQ(sum.not_semidefinite, 55);
}

TEST(Audit, RefusesAWindowThatDoesNotFitItself) {
  MatrixWindow window = row_of({{1, 0, 0, 0, 0, 1, 0, 0, 1}});
  window.cols = 2;
  EXPECT_THROW(audit(window), Error);
}

}  // namespace
}  // namespace oida
