#pragma once
// From polarimetric matrices to the real channels a network sees.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "polsar/matrix.hpp"

namespace oida {

/// What is done to a matrix window before a network sees it; stored with the model.
struct FeatureRecipe {
  /// "log_t3": log10 of T11, T22, T33, then Tij / sqrt(Tii Tjj) for 12, 13, 23, real and imaginary.
  std::string features = "log_t3";
  /// Side of the boxcar mean over valid pixels applied to the matrix first, odd; 1 = none.
  int boxcar_px = 1;

  /// Pixels around a window that its features depend on.
  int halo_px() const { return boxcar_px / 2; }
};

/// Channels of a recipe; InputError on an unknown name or an even boxcar.
int channels(const FeatureRecipe& recipe);

/// Channel names, for reports and for the model file.
std::vector<std::string> channel_names(const FeatureRecipe& recipe);

/// Channels whose sign changes when the scene is mirrored about a plane of incidence (HV -> -HV, so
/// T13 and T23 change sign): 1 or -1 a channel.
std::vector<float> mirror_signs(const FeatureRecipe& recipe);

/// Pixel-interleaved features [rows, cols, channels]; pixels that are not valid hold zeros.
struct FeatureWindow {
  int rows = 0;
  int cols = 0;
  int channels = 0;
  std::vector<float> values;
  std::vector<std::uint8_t> valid;

  float* pixel(int row, int col) {
    return values.data() + (static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) +
                            static_cast<std::size_t>(col)) *
                               static_cast<std::size_t>(channels);
  }
  const float* pixel(int row, int col) const {
    return const_cast<FeatureWindow*>(this)->pixel(row, col);
  }
};

/// Diagonal elements below kPowerFloor times the span are raised to it and normalised off-diagonal
/// elements longer than 1 are shortened to 1, so that every valid pixel has finite features.
inline constexpr double kPowerFloor = 1e-3;

/// Features of the inner part of an audited window: `halo_px` pixels are cut off on the sides where
/// `halo` (top, left, bottom, right) says that the window has them.
struct Halo {
  int top = 0, left = 0, bottom = 0, right = 0;
};
FeatureWindow make_features(const MatrixWindow& window, const FeatureRecipe& recipe, Halo halo);

}  // namespace oida
