#include "scene_map.hpp"

#include <algorithm>

#include "io/raster_writer.hpp"
#include "mapping.hpp"

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

}  // namespace

void write_map(Comm& comm, Engine& engine, std::span<const float> parameters, const Model& model,
               SceneSource& scene, const std::string& tif, const std::string& png,
               const std::function<void()>& still_alive) {
  const SceneInfo& info = scene.info();
  const auto cols = static_cast<std::size_t>(info.cols);
  const bool main_node = comm.rank() == 0;
  const bool picture =
      main_node && !png.empty() && std::int64_t{info.rows} * info.cols <= kPicturePixels;
  auto writer = collectively(comm, [&] {
    return main_node ? std::make_unique<ClassMapWriter>(tif, info, model.classes) : nullptr;
  });
  std::vector<std::uint8_t> whole(picture ? static_cast<std::size_t>(info.rows) * cols : 0);
  const auto sink = [&](const Window& tile, std::span<const std::uint8_t> classes) {
    writer->write(tile, classes);
    still_alive();
    for (int row = 0; picture && row < tile.rows; ++row) {
      const auto from = static_cast<std::size_t>(row) * static_cast<std::size_t>(tile.cols);
      const auto to =
          static_cast<std::size_t>(tile.row + row) * cols + static_cast<std::size_t>(tile.col);
      std::copy_n(classes.begin() + static_cast<std::ptrdiff_t>(from), tile.cols,
                  whole.begin() + static_cast<std::ptrdiff_t>(to));
    }
  };
  map_scene(comm, engine, parameters, model, scene, sink);
  collectively(comm, [&] {
    if (main_node) writer->close();
    if (picture) write_class_png(png, info.rows, info.cols, whole, model.classes);
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
    if (!map_wanted(deck, scene.info(), samples_per_s)) continue;
    write_map(comm, engine, parameters, model, scene, folder + numbered("class_map", i, ".tif"),
              folder + numbered("class_map", i, ".png"), still_alive);
  }
}

}  // namespace oida::app
