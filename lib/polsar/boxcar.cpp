#include "polsar/boxcar.hpp"

#include <algorithm>

namespace oida {
namespace {

/// Sums along rows, then along columns, each term added anew: no running sum, so that one large
/// value leaves no trace in its neighbours' sums.
class SquareSum {
 public:
  SquareSum(int rows, int cols, int half_px)
      : rows_(rows), cols_(cols), half_px_(half_px), along_rows_(size()), sums_(size()) {}

  template <typename Value>
  const std::vector<double>& operator()(Value value) {
    for (int row = 0; row < rows_; ++row) {
      for (int col = 0; col < cols_; ++col) {
        along_rows_[at(row, col)] = 0.0;
        const int last = std::min(cols_ - 1, col + half_px_);
        for (int k = std::max(0, col - half_px_); k <= last; ++k) {
          along_rows_[at(row, col)] += value(at(row, k));
        }
      }
    }
    std::fill(sums_.begin(), sums_.end(), 0.0);
    for (int row = 0; row < rows_; ++row) {
      const int last = std::min(rows_ - 1, row + half_px_);
      for (int k = std::max(0, row - half_px_); k <= last; ++k) {
        for (int col = 0; col < cols_; ++col) sums_[at(row, col)] += along_rows_[at(k, col)];
      }
    }
    return sums_;
  }

 private:
  std::size_t size() const {
    return static_cast<std::size_t>(rows_) * static_cast<std::size_t>(cols_);
  }
  std::size_t at(int row, int col) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(cols_) +
           static_cast<std::size_t>(col);
  }

  int rows_, cols_, half_px_;
  std::vector<double> along_rows_, sums_;
};

}  // namespace

MatrixWindow boxcar(const MatrixWindow& window, int side_px) {
  SquareSum square_sum(window.rows, window.cols, side_px / 2);
  const auto valid = [&](std::size_t i) { return window.valid[i] != 0; };
  const std::vector<double> counts =
      square_sum([&](std::size_t i) { return valid(i) ? 1.0 : 0.0; });

  MatrixWindow mean = window;
  for (std::size_t element = 0; element < elements(window.kind).size(); ++element) {
    const float* plane = window.plane(element);
    const auto& sums =
        square_sum([&](std::size_t i) { return valid(i) ? static_cast<double>(plane[i]) : 0.0; });
    for (std::size_t i = 0; i < window.pixels(); ++i) {
      mean.plane(element)[i] = valid(i) ? static_cast<float>(sums[i] / counts[i]) : 0.0F;
    }
  }
  return mean;
}

}  // namespace oida
