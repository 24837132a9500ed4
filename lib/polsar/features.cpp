#include "polsar/features.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "polsar/boxcar.hpp"

namespace oida {
namespace {

constexpr std::array<std::string_view, 9> kLogT3Channels = {
    "log10 T11",  "log10 T22",  "log10 T33",  "rho12 real", "rho12 imag",
    "rho13 real", "rho13 imag", "rho23 real", "rho23 imag"};
/// HV -> -HV changes T13 and T23.
constexpr std::array<float, 9> kLogT3MirrorSigns = {1, 1, 1, 1, 1, -1, -1, -1, -1};

/// Below anything that float32 elements can give; keeps a mean that rounds to nothing finite.
constexpr double kLeastPower = 1e-60;

void check(const FeatureRecipe& recipe) {
  if (recipe.features != "log_t3") {
    throw InputError("data.features", "'" + recipe.features + "' is unknown; allowed: log_t3");
  }
  if (recipe.boxcar_px < 1 || recipe.boxcar_px % 2 == 0) {
    throw InputError("data.speckle_filter", "a boxcar of " + std::to_string(recipe.boxcar_px) +
                                                " px; allowed: odd sides from 1");
  }
}

void check(const MatrixWindow& window, const Halo& halo) {
  const bool cut_fits = std::min({halo.top, halo.left, halo.bottom, halo.right}) >= 0 &&
                        halo.top + halo.bottom <= window.rows &&
                        halo.left + halo.right <= window.cols;
  if (!cut_fits || window.valid.size() != window.pixels()) {
    throw Error("make_features", "a window of " + std::to_string(window.rows) + " x " +
                                     std::to_string(window.cols) +
                                     " px is not audited or smaller than its halo");
  }
}

/// Writes real and imaginary part of element / norm, shortened to length 1.
void put_normalised(double real, double imaginary, double norm, float* out) {
  const double length = std::max(1.0, std::hypot(real, imaginary) / norm);
  out[0] = static_cast<float>(real / norm / length);
  out[1] = static_cast<float>(imaginary / norm / length);
}

void put_log_t3(const MatrixWindow& window, std::size_t i, float* out) {
  const auto t = [&](std::size_t element) { return static_cast<double>(window.plane(element)[i]); };
  const double least = std::max(kPowerFloor * (t(0) + t(5) + t(8)), kLeastPower);
  const double t11 = std::max(t(0), least);
  const double t22 = std::max(t(5), least);
  const double t33 = std::max(t(8), least);
  out[0] = static_cast<float>(std::log10(t11));
  out[1] = static_cast<float>(std::log10(t22));
  out[2] = static_cast<float>(std::log10(t33));
  put_normalised(t(1), t(2), std::sqrt(t11 * t22), out + 3);
  put_normalised(t(3), t(4), std::sqrt(t11 * t33), out + 5);
  put_normalised(t(6), t(7), std::sqrt(t22 * t33), out + 7);
}

FeatureWindow inner_features(const MatrixWindow& window, const Halo& halo) {
  FeatureWindow features;
  features.rows = window.rows - halo.top - halo.bottom;
  features.cols = window.cols - halo.left - halo.right;
  features.channels = static_cast<int>(kLogT3Channels.size());
  const auto pixels =
      static_cast<std::size_t>(features.rows) * static_cast<std::size_t>(features.cols);
  features.values.assign(pixels * kLogT3Channels.size(), 0.0F);
  features.valid.assign(pixels, 0);

  std::size_t out = 0;
  for (int row = halo.top; row < window.rows - halo.bottom; ++row) {
    for (int col = halo.left; col < window.cols - halo.right; ++col, ++out) {
      const auto i = static_cast<std::size_t>(row) * static_cast<std::size_t>(window.cols) +
                     static_cast<std::size_t>(col);
      features.valid[out] = window.valid[i];
      if (window.valid[i] == 0) continue;
      put_log_t3(window, i, features.values.data() + out * kLogT3Channels.size());
    }
  }
  return features;
}

}  // namespace

int channels(const FeatureRecipe& recipe) {
  check(recipe);
  return static_cast<int>(kLogT3Channels.size());
}

std::vector<std::string> channel_names(const FeatureRecipe& recipe) {
  check(recipe);
  return {kLogT3Channels.begin(), kLogT3Channels.end()};
}

std::vector<float> mirror_signs(const FeatureRecipe& recipe) {
  check(recipe);
  return {kLogT3MirrorSigns.begin(), kLogT3MirrorSigns.end()};
}

FeatureWindow make_features(const MatrixWindow& window, const FeatureRecipe& recipe, Halo halo) {
  check(recipe);
  check(window, halo);
  if (recipe.boxcar_px == 1) return inner_features(window, halo);
  return inner_features(boxcar(window, recipe.boxcar_px), halo);
}

}  // namespace oida
