#pragma once
// Features of windows of a scene, read with the margin that they need.

#include "data/patch_store.hpp"
#include "data/scene_source.hpp"
#include "polsar/features.hpp"

namespace oida::app {

/// Features of exactly `window`.
FeatureWindow read_features(SceneSource& scene, const Window& window, const FeatureRecipe& recipe);

}  // namespace oida::app
