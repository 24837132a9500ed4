#include "polsar/boxcar.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "windows.hpp"

namespace oida {
namespace {

double plain_mean(const MatrixWindow& window, std::size_t element, int row, int col, int side) {
  double sum = 0.0;
  int count = 0;
  for (int r = row - side / 2; r <= row + side / 2; ++r) {
    for (int c = col - side / 2; c <= col + side / 2; ++c) {
      if (r < 0 || c < 0 || r >= window.rows || c >= window.cols) continue;
      const auto i = static_cast<std::size_t>(r * window.cols + c);
      if (window.valid[i] == 0) continue;
      sum += static_cast<double>(window.plane(element)[i]);
      ++count;
    }
  }
  return sum / count;
}

TEST(Boxcar, IsTheMeanOfTheValidPixelsAround) {
  const MatrixWindow window = test::holed_window(11, 13);
  for (const int side : {1, 3, 7, 31}) {
    const MatrixWindow mean = boxcar(window, side);
    EXPECT_EQ(mean.valid, window.valid);
    for (int row = 0; row < window.rows; ++row) {
      for (int col = 0; col < window.cols; ++col) {
        const auto i = static_cast<std::size_t>(row * window.cols + col);
        for (std::size_t e = 0; e < 9; ++e) {
          const double want = window.valid[i] != 0 ? plain_mean(window, e, row, col, side) : 0.0;
          ASSERT_NEAR(static_cast<double>(mean.plane(e)[i]), want, 1e-6 * (1.0 + std::abs(want)));
        }
      }
    }
  }
}

}  // namespace
}  // namespace oida
