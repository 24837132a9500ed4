#include "dataset.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/hash.hpp"
#include "core/rng.hpp"
#include "io/scene/labels.hpp"
#include "io/scene/scene_cache.hpp"
#include "io/scene/scene_reader.hpp"
#include "scene_pixels.hpp"

namespace oida::app {

namespace {

std::int64_t parse_count(const std::string& key, const std::string& text, std::int64_t least) {
  std::size_t used = 0;
  std::int64_t value = least - 1;
  try {
    value = std::stoll(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != text.size() || value < least || value > 1 << 20) {
    throw InputError(key, "'" + text + "' is not a whole number from " + std::to_string(least));
  }
  return value;
}

SplitOptions split_options(const Deck& deck, const FeatureRecipe& recipe) {
  SplitOptions options;
  options.kind = split_kind(deck.data.split);
  options.block_px = static_cast<int>(deck.data.block_px);
  options.patch_px = static_cast<int>(deck.data.patch_px);
  if (options.patch_px % 2 == 0) {
    throw InputError("data.patch_px", std::to_string(options.patch_px) +
                                          " is even; a patch has a "
                                          "centre pixel, so its side is odd");
  }
  options.halo_px = recipe.halo_px();
  if (deck.data.buffer_px != "auto") {
    options.buffer_px = static_cast<int>(parse_count("data.buffer_px", deck.data.buffer_px, 0));
  }
  options.validation_share = deck.data.validation_share;
  options.test_share = deck.data.test_share;
  options.max_per_class = deck.data.max_per_class;
  options.seed = static_cast<std::uint64_t>(deck.data.seed);
  return options;
}

std::vector<LabelRaster> read_all_labels(const Deck& deck, const Scenes& scenes) {
  std::vector<LabelRaster> rasters;
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    const SceneInfo& info = scenes[i]->info();
    rasters.push_back(read_labels(deck.scene.labels[i], info.rows, info.cols));
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

/// Reads the strips of one scene that fall to this rank, takes away the labels of invalid pixels.
Defects survey_strips(SceneSource& scene, LabelImage& labels, int rank, int ranks, int strip_rows) {
  Defects defects;
  const SceneInfo& info = scene.info();
  for (int strip = rank; strip * strip_rows < info.rows; strip += ranks) {
    const int row = strip * strip_rows;
    const Window window{row, 0, std::min(strip_rows, info.rows - row), info.cols};
    MatrixWindow matrices = scene.read(window);
    defects += audit(matrices);
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

/// At most `most` validation samples, the same on all ranks, spread over classes as the whole is.
std::vector<Sample> validation_in_use(const Split& split, std::size_t most, std::uint64_t seed) {
  if (split.validation.size() <= most) return split.validation;
  const auto parts = static_cast<int>((split.validation.size() + most - 1) / most);
  const auto chosen = make_shard(split.validation, ShardKind::stratified, seed, parts, 0);
  std::vector<Sample> samples;
  for (const auto index : chosen) samples.push_back(split.validation[index]);
  return samples;
}

std::vector<Sample> pick(const std::vector<Sample>& samples,
                         const std::vector<std::uint32_t>& indices) {
  std::vector<Sample> picked;
  picked.reserve(indices.size());
  for (const auto index : indices) picked.push_back(samples[index]);
  return picked;
}

void cut_shards(Comm& comm, const Deck& deck, Dataset& data,
                const std::vector<std::int64_t>& weights) {
  const auto kind = shard_kind(deck.data.shards);
  const auto seed = static_cast<std::uint64_t>(deck.data.seed);
  const auto& training = data.split.training;
  if (training.size() < static_cast<std::size_t>(comm.size())) {
    throw InputError("data.shards", std::to_string(training.size()) +
                                        " training samples are too few for " +
                                        std::to_string(comm.size()) + " units");
  }
  data.shard_samples = shard_sizes(training.size(), weights);
  const auto own = make_shard(training, kind, seed, weights, comm.rank());
  data.shard = pick(training, own);
  data.shard_checksums = {hex(shard_checksum(data.split, training, own))};
  std::vector<std::uint32_t> all(training.size());
  std::iota(all.begin(), all.end(), 0U);
  data.checksum = hex(shard_checksum(data.split, training, all));
  const auto used =
      validation_in_use(data.split, static_cast<std::size_t>(deck.oida.validate_samples), seed);
  data.validation_total = used.size();
  data.validation = pick(used, evaluation_share(used, comm.size(), comm.rank()));
  if (deck.oida.merge != "mean") {
    data.common =
        validation_in_use(data.split, static_cast<std::size_t>(deck.oida.merge_samples), seed);
  }
}

/// Half the mean distance of the units' class shares from those of all: 0 where all shards are
/// alike, towards 1 where each unit sees classes that the others do not.
double label_skew(const Dataset& data) {
  const auto& all = data.split.counts[static_cast<std::size_t>(Part::training)];
  const auto total = static_cast<double>(data.split.training.size());
  const auto units = static_cast<double>(data.shard_classes.size());
  double skew = 0;
  for (std::size_t unit = 0; unit < data.shard_classes.size(); ++unit) {
    const auto& own = data.shard_classes[unit];
    const auto samples = static_cast<double>(data.shard_samples[unit]);
    for (std::size_t k = 0; k < own.size(); ++k) {
      const double share = static_cast<double>(own[k]) / samples;
      skew += std::abs(share - static_cast<double>(all[k]) / total) / (2 * units);
    }
  }
  return skew;
}

/// Collective.
void gather_shard_classes(Comm& comm, Dataset& data) {
  const auto classes = static_cast<std::size_t>(data.classes.size());
  std::vector<std::int64_t> counts(static_cast<std::size_t>(comm.size()) * classes);
  const auto mine = static_cast<std::size_t>(comm.rank()) * classes;
  for (const Sample& sample : data.shard) ++counts[mine + sample.label];
  comm.sum(counts);
  for (std::size_t first = 0; first < counts.size(); first += classes) {
    const auto own = std::span(counts).subspan(first, classes);
    data.shard_classes.emplace_back(own.begin(), own.end());
  }
  constexpr double kSkewed = 0.05;
  const double skew = label_skew(data);
  if (skew < kSkewed) return;
  data.warnings.push_back("shards are skewed by label: " + std::to_string(std::lround(100 * skew)) +
                          " % of the samples would have to change their unit for all units to see "
                          "the classes alike; this costs accuracy (data.shards = stratified "
                          "avoids it)");
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
  std::vector<LabelImage> labels;
  collectively(comm, [&] {
    if (deck.scene.labels.size() != deck.scene.path.size()) {
      throw InputError("scene.labels", std::to_string(deck.scene.labels.size()) +
                                           " label files for " +
                                           std::to_string(deck.scene.path.size()) + " scenes");
    }
    data.scenes = open_scenes(deck);
    data.recipe = feature_recipe(deck, data.scenes);
    std::tie(data.classes, labels) =
        make_classes(read_all_labels(deck, data.scenes), class_options(deck));
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
                            data.classes.names);
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

int patch_margin_px(const Dataset& data, const Deck& deck) {
  const auto options = split_options(deck, data.recipe);
  return std::max(0, options.patch_px / 2 - buffer_px(options));
}

namespace {

std::set<std::uint32_t> blocks_of(const std::vector<Sample>& samples) {
  std::set<std::uint32_t> blocks;
  for (const Sample& sample : samples) blocks.insert(sample.block);
  return blocks;
}

Window block_window(const Dataset& data, const Deck& deck, std::uint32_t block) {
  const Block& place = data.split.blocks[block];
  const SceneInfo& info = data.scenes[static_cast<std::size_t>(place.scene)]->info();
  return grown(place.window, patch_margin_px(data, deck), info.rows, info.cols);
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

PatchStore load(Dataset& data, const Deck& deck, const std::vector<Sample>& samples) {
  PatchStore store(static_cast<int>(deck.data.patch_px), mirror_signs(data.recipe));
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
