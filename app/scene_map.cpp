#include "scene_map.hpp"

#include <algorithm>

#include "io/raster_writer.hpp"
#include "mapping.hpp"
#include "nn/metrics.hpp"

namespace oida::app {

namespace {

constexpr double kAutoLimit_s = 300;
/// A picture of a larger map would only be a thumbnail and cost a whole raster in memory.
constexpr std::int64_t kPicturePixels = 100'000'000;

bool map_wanted(const Deck& deck, const SceneInfo& info, double samples_per_s) {
  if (deck.dry_run || deck.run.class_map == "off") return false;
  if (deck.run.class_map == "on") return true;
  return static_cast<double>(info.rows) * info.cols / samples_per_s < kAutoLimit_s;
}

std::string numbered(const std::string& stem, std::size_t scene, const std::string& extension) {
  return stem + (scene == 0 ? "" : "-" + std::to_string(scene + 1)) + extension;
}

/// The files of one scene in the making; on rank 0.
class MapWriters {
 public:
  MapWriters(const MapFiles& files, const SceneInfo& info, const Model& model)
      : files_(files), info_(info), classes_(model.classes) {
    if (!files.classes.empty()) {
      map_ = std::make_unique<ClassMapWriter>(files.classes, info, classes_);
    }
    if (!files.probabilities.empty()) {
      probabilities_ = std::make_unique<FloatMapWriter>(files.probabilities, info, classes_.names);
    }
    if (!files.entropy.empty()) {
      entropy_ = std::make_unique<FloatMapWriter>(files.entropy, info,
                                                  std::vector<std::string>{"entropy"});
    }
    const std::int64_t pixels = std::int64_t{info.rows} * info.cols;
    if (!files.picture.empty() && pixels <= kPicturePixels) {
      whole_.resize(static_cast<std::size_t>(pixels));
    }
  }

  void write(const MappedTile& tile) {
    if (map_) map_->write(tile.window, tile.classes);
    if (probabilities_) probabilities_->write(tile.window, tile.probabilities);
    if (entropy_) entropy_->write(tile.window, entropies(tile));
    if (!whole_.empty()) keep(tile);
  }

  void close() {
    if (map_) map_->close();
    if (probabilities_) probabilities_->close();
    if (entropy_) entropy_->close();
    if (!whole_.empty()) write_class_png(files_.picture, info_.rows, info_.cols, whole_, classes_);
  }

 private:
  std::vector<float> entropies(const MappedTile& tile) const {
    const auto classes = static_cast<std::size_t>(classes_.size());
    std::vector<float> values(tile.classes.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = relative_entropy(std::span(tile.probabilities).subspan(i * classes, classes));
    }
    return values;
  }

  void keep(const MappedTile& tile) {
    const auto cols = static_cast<std::size_t>(info_.cols);
    for (int row = 0; row < tile.window.rows; ++row) {
      const auto from = static_cast<std::ptrdiff_t>(row) * tile.window.cols;
      const auto to = static_cast<std::size_t>(tile.window.row + row) * cols +
                      static_cast<std::size_t>(tile.window.col);
      std::copy_n(tile.classes.begin() + from, tile.window.cols,
                  whole_.begin() + static_cast<std::ptrdiff_t>(to));
    }
  }

  MapFiles files_;
  const SceneInfo& info_;
  const ClassTable& classes_;
  std::unique_ptr<ClassMapWriter> map_;
  std::unique_ptr<FloatMapWriter> probabilities_, entropy_;
  std::vector<std::uint8_t> whole_;  // for the picture
};

}  // namespace

void write_map(Comm& comm, Engine& engine, std::span<const float> parameters, const Model& model,
               SceneSource& scene, const MapFiles& files,
               const std::function<void()>& still_alive) {
  const bool main_node = comm.rank() == 0;
  auto writers = collectively(comm, [&] {
    return main_node ? std::make_unique<MapWriters>(files, scene.info(), model) : nullptr;
  });
  const auto sink = [&](const MappedTile& tile) {
    writers->write(tile);
    still_alive();
  };
  map_scene(comm, engine, parameters, model, scene, files.needs_probabilities(), sink);
  collectively(comm, [&] {
    if (main_node) writers->close();
  });
}

void draw_scenes(Comm& comm, const Deck& deck, Dataset& data, Engine& engine,
                 std::span<const float> parameters, const Model& model, double samples_per_s,
                 const std::function<void()>& still_alive) {
  const std::string folder = deck.run.dir + "/";
  for (std::size_t i = 0; i < data.scenes.size(); ++i) {
    SceneSource& scene = *data.scenes[i];
    collectively(comm, [&] {
      if (comm.rank() == 0) write_pauli_png(folder + numbered("quicklook", i, ".png"), scene);
    });
    MapFiles files;
    if (map_wanted(deck, scene.info(), samples_per_s)) {
      files.classes = folder + numbered("class_map", i, ".tif");
      files.picture = folder + numbered("class_map", i, ".png");
    }
    const bool rasters = !deck.dry_run;
    if (rasters && deck.run.probabilities == "on") {
      files.probabilities = folder + numbered("probabilities", i, ".tif");
    }
    if (rasters && deck.run.entropy == "on") {
      files.entropy = folder + numbered("entropy", i, ".tif");
    }
    if (files.classes.empty() && !files.needs_probabilities()) continue;
    write_map(comm, engine, parameters, model, scene, files, still_alive);
  }
}

}  // namespace oida::app
