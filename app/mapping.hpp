#pragma once
// Classes of every pixel of a scene, tile by tile, shared by all ranks.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "comm/comm.hpp"
#include "data/scene_source.hpp"
#include "engine/engine.hpp"
#include "io/run/model_file.hpp"

namespace oida::app {

struct MappedTile {
  Window window;
  std::vector<std::uint8_t> classes;  // class index + 1; 0: the scene has no valid value there
  std::vector<float> probabilities;   // [rows, cols, classes] where asked for; NaN likewise
};

using TileSink = std::function<void(const MappedTile&)>;

/// Collective. A rank maps a run of neighbouring tiles, so that it reads only its part of the scene
/// with a margin; rank 0 hands the tiles of all to `sink`, those of one rank in order. `engine`
/// holds `parameters` in its own order; where the model gives every pixel its class, engines of the
/// scene's size compute in its place, as AreaPredictor does.
void map_scene(Comm& comm, Engine& engine, std::span<const float> parameters, const Model& model,
               SceneSource& scene, bool probabilities, const TileSink& sink);

}  // namespace oida::app
