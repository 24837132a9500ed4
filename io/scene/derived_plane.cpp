#include "io/scene/derived_plane.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace oida {
namespace {

/// What both kinds take from the raster they are made of.
class DerivedPlane : public Plane {
 public:
  explicit DerivedPlane(std::unique_ptr<Plane> source) : source_(std::move(source)) {
    if (source_->complex())
      throw InputError(source_->path(), "holds complex values, not real ones");
  }
  const std::string& path() const override { return source_->path(); }
  int rows() const override { return source_->rows(); }
  int cols() const override { return source_->cols(); }
  std::int64_t bytes_read() const override { return source_->bytes_read(); }

 protected:
  std::unique_ptr<Plane> source_;
};

std::size_t size_of(const Window& window) {
  return static_cast<std::size_t>(window.rows) * static_cast<std::size_t>(window.cols);
}

class PowerPlane final : public DerivedPlane {
 public:
  using DerivedPlane::DerivedPlane;
  bool complex() const override { return false; }
  void read(const Window& window, float* real, float*) override {
    source_->read(window, real, nullptr);
    for (std::size_t i = 0; i < size_of(window); ++i) real[i] *= real[i];
  }
};

/// Where a pixel lies between two nodes of a grid.
struct Between {
  std::size_t first = 0, second = 0;
  float share = 0;  // of the second
};

Between between(int pixel, int pixels, int nodes) {
  const double at = static_cast<double>(pixel) * nodes / pixels;
  const auto first = std::min(static_cast<int>(at), nodes - 1);
  const auto second = std::min(first + 1, nodes - 1);
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(second),
          static_cast<float>(at - first)};
}

class PolarPlane final : public DerivedPlane {
 public:
  PolarPlane(std::unique_ptr<Plane> magnitude, std::unique_ptr<Plane> phase, FactorGrid factors,
             float no_data)
      : DerivedPlane(std::move(magnitude)),
        phase_(std::move(phase)),
        factors_(std::move(factors)),
        no_data_(no_data) {
    if (phase_->complex() || phase_->rows() != rows() || phase_->cols() != cols()) {
      throw InputError(phase_->path(), "is no phase of the size of " + path());
    }
  }
  bool complex() const override { return true; }
  std::int64_t bytes_read() const override { return source_->bytes_read() + phase_->bytes_read(); }

  void read(const Window& window, float* real, float* imaginary) override {
    source_->read(window, real, nullptr);
    phase_->read(window, imaginary, nullptr);
    std::size_t i = 0;
    for (int row = window.row; row < window.row + window.rows; ++row) {
      for (int col = window.col; col < window.col + window.cols; ++col, ++i) {
        const float magnitude = real[i] == no_data_ ? std::numeric_limits<float>::quiet_NaN()
                                                    : real[i] * factor(row, col);
        const float phase = imaginary[i];
        real[i] = magnitude * std::cos(phase);
        imaginary[i] = magnitude * std::sin(phase);
      }
    }
  }

 private:
  float factor(int row, int col) const {
    if (factors_.values.empty()) return 1;
    const Between r = between(row, rows(), factors_.rows), c = between(col, cols(), factors_.cols);
    const auto at = [&](std::size_t y, std::size_t x) {
      return factors_.values[y * static_cast<std::size_t>(factors_.cols) + x];
    };
    const float upper = std::lerp(at(r.first, c.first), at(r.first, c.second), c.share);
    const float lower = std::lerp(at(r.second, c.first), at(r.second, c.second), c.share);
    return std::lerp(upper, lower, r.share);
  }

  std::unique_ptr<Plane> phase_;
  FactorGrid factors_;
  float no_data_;
};

}  // namespace

std::unique_ptr<Plane> power_plane(std::unique_ptr<Plane> amplitude) {
  return std::make_unique<PowerPlane>(std::move(amplitude));
}

std::unique_ptr<Plane> polar_plane(std::unique_ptr<Plane> magnitude, std::unique_ptr<Plane> phase,
                                   FactorGrid factors, float no_data) {
  return std::make_unique<PolarPlane>(std::move(magnitude), std::move(phase), std::move(factors),
                                      no_data);
}

}  // namespace oida
