#include "polsar/hermitian.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "samples.hpp"

namespace oida {
namespace {

SmallMatrix random_hermitian(std::size_t n, std::uint64_t seed) {
  Random random(seed, Purpose::test);
  SmallMatrix m;
  m.n = n;
  for (std::size_t i = 0; i < n; ++i) {
    m.at[i][i] = random.normal();
    for (std::size_t j = i + 1; j < n; ++j) {
      const double real = random.normal();
      m.at[i][j] = {real, random.normal()};
      m.at[j][i] = std::conj(m.at[i][j]);
    }
  }
  return m;
}

// M v = l v, orthonormal vectors, descending values: no other system has all three.
TEST(EigenSystem, MeetsItsDefinition) {
  for (std::uint64_t sample = 0; sample < 300; ++sample) {
    const std::size_t n = 2 + sample % 3;
    const SmallMatrix m = random_hermitian(n, sample);
    const auto [values, vectors] = eigen_system(m);
    for (std::size_t j = 0; j < n; ++j) {
      ASSERT_GE(values[j == 0 ? 0 : j - 1], values[j]);
      for (std::size_t i = 0; i < n; ++i) {
        Complex image = 0.0, product = 0.0;
        for (std::size_t k = 0; k < n; ++k) {
          image += m.at[i][k] * vectors.at[k][j];
          product += std::conj(vectors.at[k][i]) * vectors.at[k][j];
        }
        ASSERT_NEAR(std::abs(image - values[j] * vectors.at[i][j]), 0.0, 1e-12) << sample;
        ASSERT_NEAR(std::abs(product - (i == j ? 1.0 : 0.0)), 0.0, 1e-13) << sample;
      }
    }
  }
}

TEST(EigenSystem, AgreesWithTheClosedForm) {
  const MatrixWindow window = test::random_window(20, 20, 3);
  for (std::size_t i = 0; i < window.pixels(); ++i) {
    const auto values = eigen_system(matrix_of(window, i)).values;
    const auto closed = eigenvalues_t3(test::matrix_at(window, i));
    for (std::size_t k = 0; k < 3; ++k) ASSERT_NEAR(values[k], closed[k], 1e-12 * closed[0]);
  }
}

TEST(EigenSystem, RefusesWhatIsNotFinite) {
  SmallMatrix m = random_hermitian(3, 1);
  m.at[1][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(eigen_system(m), Error);
}

TEST(EigenSystem, OfZero) {
  SmallMatrix zero;
  zero.n = 4;
  EXPECT_EQ(eigen_system(zero).values, (std::array<double, 4>{}));
}

// Of one look in a c4 only one eigenvalue is not zero: the audit calls it sound; a longer
// off-diagonal element not.
TEST(Audit, OfOtherKinds) {
  MatrixWindow c4 = make_window(MatrixKind::c4, ChannelPair::none, 1, 2);
  for (std::size_t e = 0; e < kC4Elements.size(); ++e) {
    const bool imaginary = kC4Elements[e].ends_with("imag");
    c4.plane(e)[0] = c4.plane(e)[1] = imaginary ? 0.0F : 1.0F;
  }
  c4.plane(1)[1] = 1.01F;
  EXPECT_EQ(audit(c4).not_semidefinite, 1);

  MatrixWindow c2 = make_window(MatrixKind::c2, ChannelPair::pp2, 1, 4);
  c2.planes = {1, 1, -1, 1, 1, 1, 0, 0, 0, 0.1F, 0, 0, 1, 1, 3, -2};
  const Defects defects = audit(c2);
  EXPECT_EQ(c2.valid, (std::vector<std::uint8_t>{1, 1, 1, 0}));
  EXPECT_EQ(defects.negative_power, 1);
  EXPECT_EQ(defects.not_semidefinite, 2);

  MatrixWindow s2 = make_window(MatrixKind::s2, ChannelPair::none, 1, 2);
  s2.plane(5)[1] = -2.0F;
  EXPECT_EQ(audit(s2).invalid, 1);
  EXPECT_EQ(s2.valid, (std::vector<std::uint8_t>{0, 1}));
}

TEST(Audit, AsksForAPairOfC2Alone) {
  MatrixWindow c2 = make_window(MatrixKind::c2, ChannelPair::none, 1, 1);
  EXPECT_THROW(audit(c2), Error);
  MatrixWindow t3 = make_window(MatrixKind::t3, ChannelPair::pp1, 1, 1);
  EXPECT_THROW(audit(t3), Error);
}

}  // namespace
}  // namespace oida
