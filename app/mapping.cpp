#include "mapping.hpp"

#include <algorithm>
#include <vector>

#include "data/patch_store.hpp"
#include "oida/evaluator.hpp"
#include "scene_pixels.hpp"

namespace oida::app {

namespace {

constexpr int kTilePx = 256;

std::vector<Window> tiles_of(const SceneInfo& info) {
  std::vector<Window> tiles;
  for (int row = 0; row < info.rows; row += kTilePx) {
    for (int col = 0; col < info.cols; col += kTilePx) {
      tiles.push_back(
          {row, col, std::min(kTilePx, info.rows - row), std::min(kTilePx, info.cols - col)});
    }
  }
  return tiles;
}

std::vector<Sample> valid_pixels(const Window& tile, const Window& outer,
                                 const FeatureWindow& features) {
  std::vector<Sample> samples;
  for (int row = tile.row; row < tile.row + tile.rows; ++row) {
    for (int col = tile.col; col < tile.col + tile.cols; ++col) {
      const auto index =
          static_cast<std::size_t>(row - outer.row) * static_cast<std::size_t>(outer.cols) +
          static_cast<std::size_t>(col - outer.col);
      if (features.valid[index] != 0) samples.push_back({0, row, col, 0});
    }
  }
  return samples;
}

std::vector<std::uint8_t> map_tile(Engine& engine, std::span<const float> parameters,
                                   const Model& model, SceneSource& scene, const Window& tile) {
  const Window outer = grown(tile, model.patch_px / 2, scene.info().rows, scene.info().cols);
  FeatureWindow features = read_features(scene, outer, model.recipe);
  const auto samples = valid_pixels(tile, outer, features);
  PatchStore store(model.patch_px, mirror_signs(model.recipe));
  store.add(0, outer, std::move(features));
  store.normalise(model.normaliser);
  std::vector<std::uint8_t> classes(static_cast<std::size_t>(tile.rows) *
                                    static_cast<std::size_t>(tile.cols));
  Evaluator evaluator(engine, store);
  LossSum ignored;
  const auto put = [&](std::size_t i, int best) {
    const auto row = static_cast<std::size_t>(samples[i].row - tile.row);
    const auto col = static_cast<std::size_t>(samples[i].col - tile.col);
    classes[row * static_cast<std::size_t>(tile.cols) + col] = static_cast<std::uint8_t>(best + 1);
  };
  for (std::size_t first = 0; first < samples.size();) {
    first += evaluator.add_batch(parameters, samples, first, ignored, put);
  }
  return classes;
}

}  // namespace

void map_scene(Comm& comm, Engine& engine, std::span<const float> parameters, const Model& model,
               SceneSource& scene, const TileSink& sink) {
  const auto tiles = tiles_of(scene.info());
  const auto ranks = static_cast<std::size_t>(comm.size());
  const auto begin = [&](std::size_t rank) { return rank * tiles.size() / ranks; };
  const auto rank = static_cast<std::size_t>(comm.rank());
  const std::size_t waves = (tiles.size() + ranks - 1) / ranks;
  for (std::size_t k = 0; k < waves; ++k) {
    const std::size_t own = begin(rank) + k;
    const auto classes = collectively(comm, [&] {
      return own < begin(rank + 1) ? map_tile(engine, parameters, model, scene, tiles[own])
                                   : std::vector<std::uint8_t>{};
    });
    const auto wave = comm.gather(std::as_bytes(std::span(classes)));
    collectively(comm, [&] {
      for (std::size_t i = 0; i < wave.size(); ++i) {
        if (begin(i) + k >= begin(i + 1)) continue;
        sink(tiles[begin(i) + k],
             {reinterpret_cast<const std::uint8_t*>(wave[i].data()), wave[i].size()});
      }
    });
  }
}

}  // namespace oida::app
