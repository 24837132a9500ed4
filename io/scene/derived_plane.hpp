#pragma once
// Rasters computed from others while they are read.

#include <memory>
#include <vector>

#include "io/scene/plane.hpp"

namespace oida {

/// The power of a detected amplitude: value^2.
std::unique_ptr<Plane> power_plane(std::unique_ptr<Plane> amplitude);

/// A coarse grid of factors over the whole raster, interpolated linearly: its first node lies on
/// the first pixel, nodes follow every rows / grid rows and cols / grid cols pixels, and the last
/// ones hold to the rim.
struct FactorGrid {
  int rows = 0, cols = 0;
  std::vector<float> values;  // [rows, cols]; none for a factor of 1
};

/// magnitude x exp(i phase) x factor, phase in radians; NaN where the magnitude is `no_data`.
std::unique_ptr<Plane> polar_plane(std::unique_ptr<Plane> magnitude, std::unique_ptr<Plane> phase,
                                   FactorGrid factors, float no_data);

}  // namespace oida
