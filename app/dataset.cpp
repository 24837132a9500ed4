#include "dataset.hpp"

#include <algorithm>
#include <set>

#include "io/scene/scene_cache.hpp"
#include "io/scene/scene_reader.hpp"
#include "scene_labels.hpp"
#include "scene_pixels.hpp"
#include "shares.hpp"

namespace oida::app {

namespace {

/// Reads the strips of one scene that fall to this rank, takes away the labels of invalid pixels.
Defects survey_strips(SceneSource& scene, LabelImage& labels, int rank, int ranks, int strip_rows) {
  Defects defects;
  const SceneInfo& info = scene.info();
  for (int strip = rank; strip * strip_rows < info.rows; strip += ranks) {
    const int row = strip * strip_rows;
    const Window window{row, 0, std::min(strip_rows, info.rows - row), info.cols};
    const MatrixWindow matrices = scene.read(window);
    defects += matrices.defects;
    for (std::size_t i = 0; i < matrices.pixels(); ++i) {
      if (matrices.valid[i] == 0) {
        labels.classes[static_cast<std::size_t>(row) * static_cast<std::size_t>(info.cols) + i] = 0;
      }
    }
  }
  return defects;
}

/// Collective: each rank surveys its strips, then all know the labels of valid pixels.
Defects survey(Comm& comm, SceneSource& scene, LabelImage& labels) {
  constexpr int kStripRows = 64;
  const Defects own = collectively(
      comm, [&] { return survey_strips(scene, labels, comm.rank(), comm.size(), kStripRows); });
  for (int strip = 0; strip * kStripRows < labels.rows; ++strip) {
    const auto cols = static_cast<std::size_t>(labels.cols);
    const auto first = static_cast<std::size_t>(strip * kStripRows) * cols;
    const auto last = std::min(first + kStripRows * cols, labels.classes.size());
    comm.broadcast(std::as_writable_bytes(std::span(labels.classes).subspan(first, last - first)),
                   strip % comm.size());
  }
  std::vector<std::int64_t> counts{own.pixels, own.invalid, own.negative_power, own.zero_power,
                                   own.not_semidefinite};
  comm.sum(counts);
  return {counts[0], counts[1], counts[2], counts[3], counts[4]};
}

void report_defects(Dataset& data) {
  const Defects& defects = data.defects;
  const auto note = [&](std::int64_t count, const std::string& what) {
    if (count == 0) return;
    data.warnings.push_back(std::to_string(count) + " of " + std::to_string(defects.pixels) +
                            " pixels " + what);
  };
  note(defects.invalid, "are invalid (not finite, without power, or masked): never a sample");
  note(defects.negative_power, "have a negative diagonal element: floored");
  note(defects.zero_power, "have a zero diagonal element: floored");
  note(defects.not_semidefinite, "are not positive semi-definite: coherences limited to 1");
}

}  // namespace

FeatureRecipe feature_recipe(const Deck& deck, const Scenes& scenes) {
  const FeatureRecipe recipe =
      make_recipe(deck.data.features, deck.data.speckle_filter, scenes.front()->info().pair);
  for (const auto& scene : scenes) {
    require_fit(recipe, scene->info().kind, scene->info().pair, scene->info().path);
  }
  return recipe;
}

SceneOptions scene_options(const Deck& deck) {
  return {deck.scene.format, static_cast<int>(deck.scene.rows), static_cast<int>(deck.scene.cols),
          channel_pair(deck.scene.channels)};
}

Scenes open_scenes(const Deck& deck) {
  if (deck.scene.path.empty()) throw InputError("scene.path", "no scene is named");
  Scenes scenes;
  for (const auto& path : deck.scene.path) {
    scenes.push_back(open_scene(path, scene_options(deck)));
  }
  return scenes;
}

namespace {

/// Collective. Rank 0 converts what has no cache yet, then all ranks read the caches.
void use_caches(Comm& comm, const Deck& deck, Scenes& scenes) {
  if (deck.scene.cache.empty()) return;
  const auto file = [&](const SceneSource& scene) {
    return scene_cache_file(deck.scene.cache, scene.info());
  };
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    for (const auto& scene : scenes) make_scene_cache(file(*scene), *scene);
  });
  collectively(comm, [&] {
    for (auto& scene : scenes) scene = open_scene(file(*scene), {"cache"});
  });
}

}  // namespace

Dataset prepare(Comm& comm, const Deck& deck) {
  Dataset data;
  std::vector<LabelImage> labels, parts;
  collectively(comm, [&] {
    data.scenes = open_scenes(deck);
    data.recipe = feature_recipe(deck, data.scenes);
    std::tie(data.classes, labels) = read_scene_labels(deck, data.scenes);
    parts = read_split_files(deck, data.scenes);
  });
  use_caches(comm, deck, data.scenes);
  for (std::size_t i = 0; i < data.scenes.size(); ++i) {
    data.defects += survey(comm, *data.scenes[i], labels[i]);
  }
  for (const auto& scene : data.scenes) {
    for (const auto& note : scene->info().notes) {
      data.warnings.push_back(scene->info().path + ": " + note);
    }
  }
  report_defects(data);
  collectively(comm, [&] {
    data.split = make_split(labels, data.classes.size(), split_options(deck, data.recipe),
                            data.classes.names, parts);
  });
  data.warnings.insert(data.warnings.end(), data.split.warnings.begin(), data.split.warnings.end());
  return data;
}

void deal(Comm& comm, const Deck& deck, Dataset& data, const std::vector<std::int64_t>& weights) {
  collectively(comm, [&] { cut_shards(comm, deck, data, weights); });
  data.shard_checksums = comm.all_gather(data.shard_checksums.front());
  gather_shard_classes(comm, data);
}

std::vector<bool> trained_classes(const Dataset& data) {
  std::vector<bool> trained;
  for (const auto n : data.split.counts[static_cast<std::size_t>(Part::training)]) {
    trained.push_back(n > 0);
  }
  return trained;
}

Window block_window(const Dataset& data, const Deck& deck, std::uint32_t block) {
  const Block& place = data.split.blocks[block];
  if (data.dense()) return shown(place, rim_px(data, deck));
  const auto options = split_options(deck, data.recipe);
  const int margin = std::max(0, options.patch_px / 2 - buffer_px(options));
  const SceneInfo& info = data.scenes[static_cast<std::size_t>(place.scene)]->info();
  return grown(place.window, margin, info.rows, info.cols);
}

namespace {

std::set<std::uint32_t> blocks_of(const std::vector<Sample>& samples) {
  std::set<std::uint32_t> blocks;
  for (const Sample& sample : samples) blocks.insert(sample.block);
  return blocks;
}

std::int64_t store_pixels(const Dataset& data, const Deck& deck) {
  auto blocks = blocks_of(data.shard);
  blocks.merge(blocks_of(data.validation));
  blocks.merge(blocks_of(data.common));
  std::int64_t pixels = 0;
  for (const auto block : blocks) {
    const Window window = block_window(data, deck, block);
    pixels += std::int64_t{window.rows} * window.cols;
  }
  return pixels;
}

}  // namespace

std::int64_t store_bytes(const Dataset& data, const Deck& deck) {
  const auto valid = store_pixels(data, deck);  // a byte each
  return static_cast<std::int64_t>(scene_bytes(data, deck)) + valid;
}

std::size_t scene_bytes(const Dataset& data, const Deck& deck) {
  const auto floats = static_cast<std::size_t>(store_pixels(data, deck) * channels(data.recipe));
  return floats * sizeof(float);
}

SceneReading scene_reading(const Dataset& data) {
  SceneReading sum;
  for (const auto& scene : data.scenes) {
    sum.read_s += scene->read_s();
    sum.bytes += scene->bytes_read();
  }
  return sum;
}

PatchStore load(Dataset& data, const Deck& deck, const std::vector<Sample>& samples) {
  const auto side_px = deck.dense() ? deck.data.tile_px : deck.data.patch_px;
  PatchStore store(static_cast<int>(side_px), mirror_signs(data.recipe));
  for (const auto block : blocks_of(samples)) {
    SceneSource& scene = *data.scenes[static_cast<std::size_t>(data.split.blocks[block].scene)];
    const Window window = block_window(data, deck, block);
    store.add(block, window, read_features(scene, window, data.recipe));
  }
  return store;
}

Normaliser fit_normaliser(Comm& comm, const PatchStore& store, const std::vector<Sample>& shard) {
  NormaliserFit fit(store.channels());
  for (const Sample& sample : shard) fit.add(store.centre(sample));
  comm.sum(fit.sums());
  return Normaliser::fit(fit);
}

}  // namespace oida::app
