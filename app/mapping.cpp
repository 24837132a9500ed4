#include "mapping.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "data/patch_store.hpp"
#include "oida/area_predictor.hpp"
#include "oida/evaluator.hpp"
#include "scene_pixels.hpp"

namespace oida::app {

namespace {

constexpr int kTilePx = 256;

/// How a model classifies the pixels of a scene.
class Mapper {
 public:
  virtual ~Mapper() = default;
  virtual std::vector<Window> tiles() const = 0;
  /// `see` gets the index in the tile of each valid pixel and its class probabilities.
  using See = std::function<void(std::size_t, std::span<const float>)>;
  virtual void map(const Window& tile, const See& see) = 0;
};

std::size_t index_in(const Window& window, int row, int col) {
  return static_cast<std::size_t>(row - window.row) * static_cast<std::size_t>(window.cols) +
         static_cast<std::size_t>(col - window.col);
}

std::vector<Sample> valid_pixels(const Window& tile, const Window& outer,
                                 const FeatureWindow& features) {
  std::vector<Sample> samples;
  for (int row = tile.row; row < tile.row + tile.rows; ++row) {
    for (int col = tile.col; col < tile.col + tile.cols; ++col) {
      if (features.valid[index_in(outer, row, col)] != 0) samples.push_back({0, row, col, 0});
    }
  }
  return samples;
}

/// A patch around each pixel.
class PatchMapper : public Mapper {
 public:
  PatchMapper(Engine& engine, std::span<const float> parameters, const Model& model,
              SceneSource& scene)
      : engine_(engine), parameters_(parameters), model_(model), scene_(scene) {}

  std::vector<Window> tiles() const override {
    const SceneInfo& info = scene_.info();
    std::vector<Window> tiles;
    for (int row = 0; row < info.rows; row += kTilePx) {
      for (int col = 0; col < info.cols; col += kTilePx) {
        tiles.push_back(
            {row, col, std::min(kTilePx, info.rows - row), std::min(kTilePx, info.cols - col)});
      }
    }
    return tiles;
  }

  void map(const Window& tile, const See& see) override {
    const SceneInfo& info = scene_.info();
    const Window outer = grown(tile, model_.patch_px / 2, info.rows, info.cols);
    FeatureWindow features = read_features(scene_, outer, model_.recipe);
    const auto samples = valid_pixels(tile, outer, features);
    PatchStore store(model_.patch_px, mirror_signs(model_.recipe));
    store.add(0, outer, std::move(features));
    store.normalise(model_.normaliser);
    Evaluator evaluator(engine_, store);
    LossSum ignored;
    const auto put = [&](std::size_t i, std::span<const float> probabilities) {
      see(index_in(tile, samples[i].row, samples[i].col), probabilities);
    };
    for (std::size_t first = 0; first < samples.size();) {
      first += evaluator.add_batch(parameters_, samples, first, ignored, put);
    }
  }

 private:
  Engine& engine_;
  std::span<const float> parameters_;
  const Model& model_;
  SceneSource& scene_;
};

/// All pixels of a tile at once.
class DenseMapper : public Mapper {
 public:
  DenseMapper(const EngineOptions& options, const Model& model, SceneSource& scene)
      : model_(model),
        scene_(scene),
        area_{scene.info().rows, scene.info().cols},
        predictor_(model.network, options, model.parameters, area_, kTilePx) {}

  std::vector<Window> tiles() const override { return predictor_.tiles(area_); }

  void map(const Window& tile, const See& see) override {
    const Window outer = predictor_.needed(tile, area_);
    FeatureWindow features = read_features(scene_, outer, model_.recipe);
    model_.normaliser.apply(features);
    const auto probabilities = predictor_.predict(tile, area_, features);
    const auto classes = static_cast<std::size_t>(predictor_.classes());
    for (const Sample& pixel : valid_pixels(tile, outer, features)) {
      const std::size_t i = index_in(tile, pixel.row, pixel.col);
      see(i, probabilities.subspan(i * classes, classes));
    }
  }

 private:
  const Model& model_;
  SceneSource& scene_;
  Extent area_;
  AreaPredictor predictor_;
};

MappedTile map_tile(Mapper& mapper, const Window& tile, std::size_t classes, bool probabilities) {
  const auto pixels = static_cast<std::size_t>(tile.rows) * static_cast<std::size_t>(tile.cols);
  MappedTile mapped{tile, std::vector<std::uint8_t>(pixels), {}};
  if (probabilities) {
    mapped.probabilities.assign(pixels * classes, std::numeric_limits<float>::quiet_NaN());
  }
  mapper.map(tile, [&](std::size_t i, std::span<const float> of_pixel) {
    mapped.classes[i] = static_cast<std::uint8_t>(best_class(of_pixel) + 1);
    if (probabilities) {
      std::ranges::copy(of_pixel,
                        mapped.probabilities.begin() + static_cast<std::ptrdiff_t>(i * classes));
    }
  });
  return mapped;
}

template <typename Value>
std::vector<Value> values_of(const std::vector<std::byte>& bytes) {
  std::vector<Value> values(bytes.size() / sizeof(Value));
  std::ranges::copy(bytes, std::as_writable_bytes(std::span(values)).begin());
  return values;
}

}  // namespace

void map_scene(Comm& comm, Engine& engine, std::span<const float> parameters, const Model& model,
               SceneSource& scene, bool probabilities, const TileSink& sink) {
  const auto mapper = collectively(comm, [&]() -> std::unique_ptr<Mapper> {
    if (model.network.output == Output::dense) {
      return std::make_unique<DenseMapper>(engine.options(), model, scene);
    }
    return std::make_unique<PatchMapper>(engine, parameters, model, scene);
  });
  const auto tiles = mapper->tiles();
  const auto classes = static_cast<std::size_t>(model.classes.size());
  const auto ranks = static_cast<std::size_t>(comm.size());
  const auto begin = [&](std::size_t rank) { return rank * tiles.size() / ranks; };
  const auto rank = static_cast<std::size_t>(comm.rank());
  const std::size_t waves = (tiles.size() + ranks - 1) / ranks;
  for (std::size_t k = 0; k < waves; ++k) {
    const std::size_t own = begin(rank) + k;
    const auto mapped = collectively(comm, [&] {
      return own < begin(rank + 1) ? map_tile(*mapper, tiles[own], classes, probabilities)
                                   : MappedTile{};
    });
    const auto class_wave = comm.gather(std::as_bytes(std::span(mapped.classes)));
    const auto probability_wave = comm.gather(std::as_bytes(std::span(mapped.probabilities)));
    collectively(comm, [&] {
      for (std::size_t i = 0; i < class_wave.size(); ++i) {
        if (begin(i) + k >= begin(i + 1)) continue;
        sink({tiles[begin(i) + k], values_of<std::uint8_t>(class_wave[i]),
              values_of<float>(probability_wave[i])});
      }
    });
  }
}

}  // namespace oida::app
