#pragma once
// Labels and drawn splits of the deck's scenes.

#include <memory>
#include <utility>
#include <vector>

#include "data/classes.hpp"
#include "data/scene_source.hpp"
#include "deck.hpp"

namespace oida::app {

using Scenes = std::vector<std::unique_ptr<SceneSource>>;

/// The classes, and an image a scene. InputError when there is not one label file a scene, or one
/// does not fit.
std::pair<ClassTable, std::vector<LabelImage>> read_scene_labels(const Deck& deck,
                                                                 const Scenes& scenes);

/// The images of data.split_file; none for other splits. InputError when there is not one a scene.
std::vector<LabelImage> read_split_files(const Deck& deck, const Scenes& scenes);

}  // namespace oida::app
