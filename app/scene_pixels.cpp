#include "scene_pixels.hpp"

namespace oida::app {

FeatureWindow read_features(SceneSource& scene, const Window& window, const FeatureRecipe& recipe) {
  const Window outer = grown(window, recipe.halo_px(), scene.info().rows, scene.info().cols);
  const Halo halo{window.row - outer.row, window.col - outer.col,
                  outer.row + outer.rows - window.row - window.rows,
                  outer.col + outer.cols - window.col - window.cols};
  return make_features(scene.read(outer), recipe, halo);
}

}  // namespace oida::app
