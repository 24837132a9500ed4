#include "polsar/refined_lee.hpp"

#include <algorithm>
#include <cmath>

namespace oida {
namespace {

struct Offset {
  int row = 0, col = 0;
};

/// The four edge directions, by where their first side lies: right, upper right, up, upper left.
constexpr std::array<Offset, 4> kNormals = {{{0, 1}, {-1, 1}, {-1, 0}, {-1, -1}}};

int along(const Offset& normal, int row, int col) {
  return normal.row * row + normal.col * col;
}

/// Pixels of the square on one side of an edge through its centre, the edge included.
std::vector<Offset> half_square(const Offset& normal, int half_px) {
  std::vector<Offset> offsets;
  for (int row = -half_px; row <= half_px; ++row) {
    for (int col = -half_px; col <= half_px; ++col) {
      if (along(normal, row, col) >= 0) offsets.push_back({row, col});
    }
  }
  return offsets;
}

class Filter {
 public:
  Filter(const MatrixWindow& window, int side_px, double looks)
      : window_(window),
        small_half_px_((side_px / 2 + 2) / 3),
        step_px_(side_px / 2 - small_half_px_),
        speckle_variance_(1.0 / looks) {
    for (std::size_t i = 0; i < kNormals.size(); ++i) {
      const Offset& normal = kNormals[i];
      halves_[2 * i] = half_square(normal, side_px / 2);
      halves_[2 * i + 1] = half_square({-normal.row, -normal.col}, side_px / 2);
    }
    take_spans();
  }

  /// Writes all elements of the pixel into `out`.
  void filter(int row, int col, MatrixWindow& out) {
    take_half(row, col);
    const auto count = static_cast<double>(half_.size());
    const double weight = own_weight(count);
    const std::size_t at = index(row, col);
    for (std::size_t e = 0; e < elements(window_.kind).size(); ++e) {
      const float* plane = window_.plane(e);
      double mean = 0.0;
      for (const std::size_t i : half_) mean += static_cast<double>(plane[i]);
      mean /= count;
      const double own = static_cast<double>(plane[at]);
      out.plane(e)[at] = static_cast<float>(mean + weight * (own - mean));
    }
  }

 private:
  std::size_t index(int row, int col) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(window_.cols) +
           static_cast<std::size_t>(col);
  }
  bool valid(int row, int col) const {
    return row >= 0 && col >= 0 && row < window_.rows && col < window_.cols &&
           window_.valid[index(row, col)] != 0;
  }

  void take_spans() {
    spans_.assign(window_.pixels(), 0.0);
    for (const auto e : diagonal(window_.kind)) {
      for (std::size_t i = 0; i < window_.pixels(); ++i) {
        spans_[i] += static_cast<double>(window_.plane(e)[i]);
      }
    }
  }

  double small_mean(int row, int col, double otherwise) const {
    double sum = 0.0;
    int count = 0;
    for (int r = row - small_half_px_; r <= row + small_half_px_; ++r) {
      for (int c = col - small_half_px_; c <= col + small_half_px_; ++c) {
        if (!valid(r, c)) continue;
        sum += spans_[index(r, c)];
        ++count;
      }
    }
    return count > 0 ? sum / count : otherwise;
  }

  /// Fills means_: [row + 1][col + 1] of the nine small squares.
  void take_means(int row, int col) {
    const double centre = small_mean(row, col, 0.0);
    for (int r = -1; r <= 1; ++r) {
      for (int c = -1; c <= 1; ++c) {
        means_at(r, c) =
            r == 0 && c == 0 ? centre : small_mean(row + r * step_px_, col + c * step_px_, centre);
      }
    }
  }
  double& means_at(int row, int col) {
    return means_[static_cast<std::size_t>(3 * (row + 1) + col + 1)];
  }

  double gradient(const Offset& normal) {
    double sum = 0.0;
    for (int r = -1; r <= 1; ++r) {
      for (int c = -1; c <= 1; ++c) {
        const int side = along(normal, r, c);
        sum += side > 0 ? means_at(r, c) : side < 0 ? -means_at(r, c) : 0.0;
      }
    }
    return std::abs(sum);
  }

  /// Which of halves_ the pixel belongs to.
  std::size_t own_half() {
    std::size_t direction = 0;
    double steepest = gradient(kNormals[0]);
    for (std::size_t i = 1; i < kNormals.size(); ++i) {
      const double slope = gradient(kNormals[i]);
      if (slope > steepest) {
        steepest = slope;
        direction = i;
      }
    }
    const Offset& normal = kNormals[direction];
    const double first = std::abs(means_at(normal.row, normal.col) - means_at(0, 0));
    const double second = std::abs(means_at(-normal.row, -normal.col) - means_at(0, 0));
    return 2 * direction + (first < second ? 0 : 1);
  }

  /// Fills half_ with the valid pixels of the pixel's half square; itself is one.
  void take_half(int row, int col) {
    take_means(row, col);
    half_.clear();
    for (const Offset& offset : halves_[own_half()]) {
      const int r = row + offset.row, c = col + offset.col;
      if (valid(r, c)) half_.push_back(index(r, c));
    }
  }

  /// b of the header.
  double own_weight(double count) const {
    double mean = 0.0, variance = 0.0;
    for (const std::size_t i : half_) mean += spans_[i];
    mean /= count;
    for (const std::size_t i : half_) variance += (spans_[i] - mean) * (spans_[i] - mean);
    variance /= count;
    if (!(variance > 0.0)) return 0.0;
    const double signal = (variance - mean * mean * speckle_variance_) / (1.0 + speckle_variance_);
    return std::max(0.0, signal) / variance;
  }

  const MatrixWindow& window_;
  int small_half_px_, step_px_;
  double speckle_variance_;
  std::array<std::vector<Offset>, 8> halves_;  // of each normal: its side, the other side
  std::vector<double> spans_;
  std::array<double, 9> means_{};
  std::vector<std::size_t> half_;
};

}  // namespace

MatrixWindow refined_lee(const MatrixWindow& window, int side_px, double looks) {
  MatrixWindow filtered = make_window(window.kind, window.pair, window.rows, window.cols);
  filtered.valid = window.valid;
  Filter filter(window, side_px, looks);
  for (int row = 0; row < window.rows; ++row) {
    for (int col = 0; col < window.cols; ++col) {
      const auto i = static_cast<std::size_t>(row) * static_cast<std::size_t>(window.cols) +
                     static_cast<std::size_t>(col);
      if (window.valid[i] != 0) filter.filter(row, col, filtered);
    }
  }
  return filtered;
}

}  // namespace oida
