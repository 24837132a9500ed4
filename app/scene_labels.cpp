#include "scene_labels.hpp"

#include "core/error.hpp"
#include "data/split.hpp"
#include "io/scene/labels.hpp"

namespace oida::app {

namespace {

std::vector<LabelRaster> read_rasters(const Deck& deck, const Scenes& scenes) {
  std::vector<LabelRaster> rasters;
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    const SceneInfo& info = scenes[i]->info();
    rasters.push_back(read_labels(deck.scene.labels[i], info, deck.scene.label_attribute));
  }
  return rasters;
}

ClassOptions class_options(const Deck& deck) {
  ClassOptions options;
  options.ignore_label = static_cast<int>(deck.scene.ignore_label);
  options.names = deck.scene.class_names;
  options.aliases = deck.scene.class_alias;
  return options;
}

}  // namespace

std::pair<ClassTable, std::vector<LabelImage>> read_scene_labels(const Deck& deck,
                                                                 const Scenes& scenes) {
  if (deck.scene.labels.size() != scenes.size()) {
    throw InputError("scene.labels", std::to_string(deck.scene.labels.size()) +
                                         " label files for " + std::to_string(scenes.size()) +
                                         " scenes");
  }
  return make_classes(read_rasters(deck, scenes), class_options(deck));
}

std::vector<LabelImage> read_split_files(const Deck& deck, const Scenes& scenes) {
  const bool by_file = split_kind(deck.data.split) == SplitOptions::Kind::file;
  const auto& files = deck.data.split_file;
  if (files.empty() != !by_file || (by_file && files.size() != scenes.size())) {
    throw InputError("data.split_file", std::to_string(files.size()) + " files for " +
                                            std::to_string(scenes.size()) +
                                            " scenes and data.split = " + deck.data.split);
  }
  std::vector<LabelImage> parts;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const SceneInfo& info = scenes[i]->info();
    LabelRaster raster = read_labels(files[i], info.rows, info.cols);
    parts.push_back({raster.rows, raster.cols, std::move(raster.ids)});
  }
  return parts;
}

}  // namespace oida::app
