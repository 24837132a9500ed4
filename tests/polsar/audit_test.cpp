// The audit's passes over blocks against one matrix at a time.

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/rng.hpp"
#include "polsar/hermitian.hpp"

namespace oida {
namespace {

/// Sums of `looks` outer products, so that few looks give singular matrices; of every third pixel
/// the least eigenvalue is moved below zero, from well inside the tolerance to well outside.
MatrixWindow mixed_window(MatrixKind kind, int rows, int cols, int looks) {
  const auto pair = kind == MatrixKind::c2 ? ChannelPair::pp1 : ChannelPair::none;
  MatrixWindow window = make_window(kind, pair, rows, cols);
  const auto n = static_cast<std::size_t>(order(kind));
  for (std::size_t i = 0; i < window.pixels(); ++i) {
    Random random(7, Purpose::test, i);
    SmallMatrix matrix;
    matrix.n = n;
    for (int look = 0; look < looks; ++look) {
      std::array<Complex, 4> k{};
      for (std::size_t c = 0; c < n; ++c) {
        const double real = random.normal();
        k[c] = Complex(real, random.normal());
      }
      for (std::size_t r = 0; r < n; ++r) {
        for (std::size_t c = 0; c < n; ++c) matrix.at[r][c] += k[r] * std::conj(k[c]);
      }
    }
    const double below = std::pow(10.0, -8.0 + 8.0 * static_cast<double>(random.uniform()));
    const double off = eigen_system(matrix).values[n - 1] + below;
    for (std::size_t c = 0; i % 3 == 0 && c < n; ++c) matrix.at[c][c] -= off;
    put_matrix(matrix, window, i);
  }
  return window;
}

/// What the definitions of Defects say, by eigenvalues.
Defects one_by_one(const MatrixWindow& window, const std::vector<std::uint8_t>& mask) {
  Defects defects;
  defects.pixels = static_cast<std::int64_t>(window.pixels());
  for (std::size_t i = 0; i < window.pixels(); ++i) {
    bool finite = mask[i] != 0, negative = false, zero = false;
    for (std::size_t e = 0; e < elements(window.kind).size(); ++e) {
      finite = finite && std::isfinite(window.plane(e)[i]);
    }
    double span = 0;
    for (const std::size_t e : diagonal(window.kind)) {
      const float power = window.plane(e)[i];
      span += static_cast<double>(power);
      negative = negative || power < 0;
      zero = zero || power == 0;
    }
    if (!finite || !(span > 0)) {
      ++defects.invalid;
      continue;
    }
    defects.negative_power += negative;
    defects.zero_power += zero;
    const auto lambda = eigen_system(matrix_of(window, i)).values;
    const double least = lambda[static_cast<std::size_t>(order(window.kind)) - 1];
    defects.not_semidefinite += least < -1e-6 * lambda[0];
  }
  return defects;
}

void expect_same(const Defects& mine, const Defects& wanted) {
  EXPECT_EQ(mine.pixels, wanted.pixels);
  EXPECT_EQ(mine.invalid, wanted.invalid);
  EXPECT_EQ(mine.negative_power, wanted.negative_power);
  EXPECT_EQ(mine.zero_power, wanted.zero_power);
  EXPECT_EQ(mine.not_semidefinite, wanted.not_semidefinite);
}

class EveryKind : public ::testing::TestWithParam<std::tuple<MatrixKind, int>> {};

// 37 x 41 pixels: five whole blocks and a part.
TEST_P(EveryKind, IsAuditedAsMatrixByMatrix) {
  const auto [kind, looks] = GetParam();
  MatrixWindow window = mixed_window(kind, 37, 41, looks);
  const std::size_t last = elements(kind).size() - 1;
  window.plane(0)[5] = std::numeric_limits<float>::quiet_NaN();
  window.plane(1)[6] = -std::numeric_limits<float>::infinity();
  window.plane(last)[1500] = std::numeric_limits<float>::infinity();
  window.plane(last)[700] = 0;
  window.plane(0)[701] = -0.0F;
  window.valid[3] = window.valid[800] = window.valid[1516] = 0;
  const auto mask = window.valid;
  const Defects wanted = one_by_one(window, mask);
  ASSERT_GT(wanted.not_semidefinite, 100);
  ASSERT_LT(wanted.not_semidefinite, 600);
  const Defects found = audit(window);
  expect_same(found, wanted);
  expect_same(window.defects, found);
  EXPECT_EQ(std::count(window.valid.begin(), window.valid.end(), 0), wanted.invalid);
  for (const std::size_t i : {3U, 5U, 6U, 800U, 1500U, 1516U}) EXPECT_EQ(window.valid[i], 0) << i;
}

INSTANTIATE_TEST_SUITE_P(Audit, EveryKind,
                         ::testing::Combine(::testing::Values(MatrixKind::c2, MatrixKind::c3,
                                                              MatrixKind::t3, MatrixKind::c4,
                                                              MatrixKind::t4),
                                            ::testing::Values(1, 2, 9)));

}  // namespace
}  // namespace oida
