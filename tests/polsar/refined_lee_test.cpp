#include "polsar/refined_lee.hpp"

#include <cmath>
#include <optional>

#include <gtest/gtest.h>

#include "windows.hpp"

namespace oida {
namespace {

/// Span of a valid pixel inside the window.
std::optional<double> span_at(const MatrixWindow& window, int row, int col) {
  if (row < 0 || col < 0 || row >= window.rows || col >= window.cols) return std::nullopt;
  const auto i = static_cast<std::size_t>(row * window.cols + col);
  if (window.valid[i] == 0) return std::nullopt;
  const auto t = test::matrix_at(window, i);
  return t[0] + t[5] + t[8];
}

using Mask = std::array<std::array<int, 3>, 3>;

/// Lee's four gradient masks: columns, the diagonal to the upper right, rows, to the upper left.
constexpr std::array<Mask, 4> kMasks = {{{{{-1, 0, 1}, {-1, 0, 1}, {-1, 0, 1}}},
                                         {{{0, 1, 1}, {-1, 0, 1}, {-1, -1, 0}}},
                                         {{{1, 1, 1}, {0, 0, 0}, {-1, -1, -1}}},
                                         {{{1, 1, 0}, {1, 0, -1}, {0, -1, -1}}}}};

/// Small squares of a 7 x 7 and a 5 x 5 window: 3 px wide, 2 px and 1 px apart.
std::array<std::array<double, 3>, 3> small_means(const MatrixWindow& window, int row, int col,
                                                 int apart_px) {
  std::array<std::array<double, 3>, 3> means{};
  for (const bool centre : {true, false}) {
    for (int i = 0; i < 9; ++i) {
      if ((i == 4) != centre) continue;
      double sum = 0.0;
      int count = 0;
      for (int k = 0; k < 9; ++k) {
        const auto span = span_at(window, row + (i / 3 - 1) * apart_px + k / 3 - 1,
                                  col + (i % 3 - 1) * apart_px + k % 3 - 1);
        sum += span.value_or(0.0);
        count += span.has_value();
      }
      means[static_cast<std::size_t>(i / 3)][static_cast<std::size_t>(i % 3)] =
          count > 0 ? sum / count : means[1][1];
    }
  }
  return means;
}

/// Whether (row, col), counted from the centre, lies in the half window of mask `m` where the mask
/// is positive (or negative): the edge runs through the mask's zeros.
bool in_half(std::size_t m, bool positive, int row, int col) {
  const std::array<int, 4> side = {col, col - row, -row, -row - col};
  return positive ? side[m] >= 0 : side[m] <= 0;
}

/// The filter as the paper describes it, one pixel after the other.
std::array<double, 9> plain(const MatrixWindow& window, int row, int col, int side_px,
                            double looks) {
  const auto means = small_means(window, row, col, side_px == 7 ? 2 : 1);
  std::size_t best = 0;
  double steepest = -1.0;
  double positive_side = 0.0, negative_side = 0.0;
  for (std::size_t m = 0; m < 4; ++m) {
    double slope = 0.0;
    for (std::size_t i = 0; i < 9; ++i) slope += kMasks[m][i / 3][i % 3] * means[i / 3][i % 3];
    if (std::abs(slope) <= steepest) continue;
    steepest = std::abs(slope);
    best = m;
    const std::array<std::array<double, 2>, 4> outer = {{{means[1][2], means[1][0]},
                                                         {means[0][2], means[2][0]},
                                                         {means[0][1], means[2][1]},
                                                         {means[0][0], means[2][2]}}};
    positive_side = std::abs(outer[m][0] - means[1][1]);
    negative_side = std::abs(outer[m][1] - means[1][1]);
  }
  const bool positive = positive_side < negative_side;

  double count = 0.0, span_sum = 0.0, span_squares = 0.0;
  std::array<double, 9> mean{};
  for (int r = -side_px / 2; r <= side_px / 2; ++r) {
    for (int c = -side_px / 2; c <= side_px / 2; ++c) {
      const auto span = span_at(window, row + r, col + c);
      if (!span || !in_half(best, positive, r, c)) continue;
      const auto t =
          test::matrix_at(window, static_cast<std::size_t>((row + r) * window.cols + col + c));
      for (std::size_t e = 0; e < 9; ++e) mean[e] += t[e];
      span_sum += *span;
      span_squares += *span * *span;
      count += 1.0;
    }
  }
  for (double& m : mean) m /= count;
  const double y = span_sum / count, var_y = span_squares / count - y * y;
  const double var_x = (var_y - y * y / looks) / (1.0 + 1.0 / looks);
  const double b = var_x > 0.0 ? var_x / var_y : 0.0;
  const auto own = test::matrix_at(window, static_cast<std::size_t>(row * window.cols + col));
  for (std::size_t e = 0; e < 9; ++e) mean[e] += b * (own[e] - mean[e]);
  return mean;
}

void expect_plain(const MatrixWindow& window, int side_px, double looks) {
  const MatrixWindow filtered = refined_lee(window, side_px, looks);
  EXPECT_EQ(filtered.valid, window.valid);
  for (int row = 0; row < window.rows; ++row) {
    for (int col = 0; col < window.cols; ++col) {
      const auto i = static_cast<std::size_t>(row * window.cols + col);
      std::array<double, 9> want{};
      if (window.valid[i] != 0) want = plain(window, row, col, side_px, looks);
      const double span = want[0] + want[5] + want[8];
      for (std::size_t e = 0; e < 9; ++e) {
        ASSERT_NEAR(static_cast<double>(filtered.plane(e)[i]), want[e], 1e-6 * span)
            << row << " " << col << " " << e;
      }
    }
  }
}

TEST(RefinedLee, IsThePapersFilter) {
  const MatrixWindow window = test::holed_window(23, 29);
  for (const double looks : {1.0, 4.0, 30.0}) {
    expect_plain(window, 7, looks);
    expect_plain(window, 5, looks);
  }
}

TEST(RefinedLee, IsThePapersFilterOnFlevoland) {
  OIDA_NEEDS_DATA();
  MatrixWindow window = test::flevoland();
  audit(window);
  expect_plain(test::part_of(window, 300, 400, 120, 130), 7, 4.0);
}

/// Two flat fields that meet at an edge; `first` tells which side a pixel is on.
template <typename First>
MatrixWindow two_fields(First first) {
  MatrixWindow window = make_window(MatrixKind::t3, ChannelPair::none, 24, 24);
  for (int i = 0; i < 24 * 24; ++i) {
    const double level = first(i / 24, i % 24) ? 1.0 : 5.0;
    test::set_matrix(window, static_cast<std::size_t>(i),
                     {level, 0.1, 0, 0, 0, 0.5 * level, 0, 0, 0.25});
  }
  audit(window);
  return window;
}

// With as much speckle as one look has, a boxcar would blend the fields; half windows do not.
TEST(RefinedLee, KeepsStraightEdges) {
  const auto expect_kept = [](const MatrixWindow& window) {
    const MatrixWindow filtered = refined_lee(window, 7, 1.0);
    for (std::size_t k = 0; k < filtered.planes.size(); ++k) {
      ASSERT_NEAR(filtered.planes[k], window.planes[k], 1e-6F) << k;
    }
  };
  expect_kept(two_fields([](int, int col) { return col < 12; }));
  expect_kept(two_fields([](int row, int) { return row < 12; }));
  expect_kept(two_fields([](int, int) { return true; }));
}

// Infinitely many looks: no speckle to take away. Few looks: speckle becomes far smoother.
TEST(RefinedLee, SmoothsAsMuchAsTheLooksSay) {
  const MatrixWindow window = test::random_window(40, 40, 6);
  MatrixWindow audited = window;
  audit(audited);
  const auto variance_of_t11 = [](const MatrixWindow& of) {
    double sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < of.pixels(); ++i) {
      const auto value = static_cast<double>(of.plane(0)[i]);
      sum += value / 1600.0;
      squares += value * value / 1600.0;
    }
    return squares - sum * sum;
  };
  const MatrixWindow kept = refined_lee(audited, 7, 1e12);
  for (std::size_t k = 0; k < kept.planes.size(); ++k) {
    ASSERT_NEAR(kept.planes[k], window.planes[k], 1e-6F * (1.0F + std::abs(window.planes[k])));
  }
  const double before = variance_of_t11(audited);
  EXPECT_LT(variance_of_t11(refined_lee(audited, 7, 1.0)), before / 8.0);
}

}  // namespace
}  // namespace oida
