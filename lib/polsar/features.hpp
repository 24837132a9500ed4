#pragma once
// From polarimetric matrices to the real channels a network sees.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "polsar/feature_groups.hpp"
#include "polsar/matrix.hpp"
#include "polsar/speckle_filter.hpp"

namespace oida {

/// What is done to a matrix window before a network sees it; stored with the model.
struct FeatureRecipe {
  /// Names of feature_groups(pair), one behind the other.
  std::vector<std::string> features = {"log_t3"};
  /// Applied to the t3 (of every quad-pol kind) or c2 first.
  SpeckleFilter filter;
  /// none: made of a quad-pol scene; else of this c2.
  ChannelPair pair = ChannelPair::none;

  /// Pixels around a window that its features depend on.
  int halo_px() const { return filter.halo_px(); }
  bool operator==(const FeatureRecipe&) const = default;
};

/// `features`: "auto" (log_t3, or log_c2 of a dual-pol scene) or names with commas between;
/// `filter` as in speckle_filter(). InputError on a name that the pair does not have or that comes
/// twice.
FeatureRecipe make_recipe(const std::string& features, const std::string& filter, ChannelPair pair);
/// The names with commas between.
std::string features_text(const FeatureRecipe& recipe);
/// Names of all groups that a scene of this pair allows, with commas between.
std::string allowed_features(ChannelPair pair);

/// InputError naming `scene` where the recipe's features cannot be made of its matrices. Those of a
/// c2 can be made of a quad-pol scene.
void require_fit(const FeatureRecipe& recipe, MatrixKind kind, ChannelPair pair,
                 const std::string& scene);

/// Channels of a recipe; InputError on an unknown name.
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

/// Features of the inner part of an audited window: `halo_px` pixels are cut off on the sides where
/// `halo` (top, left, bottom, right) says that the window has them.
struct Halo {
  int top = 0, left = 0, bottom = 0, right = 0;
};
FeatureWindow make_features(const MatrixWindow& window, const FeatureRecipe& recipe, Halo halo);

}  // namespace oida
