#pragma once
// Classes of every pixel of a scene, tile by tile, shared by all ranks.

#include <cstdint>
#include <functional>
#include <span>

#include "comm/comm.hpp"
#include "data/scene_source.hpp"
#include "engine/engine.hpp"
#include "io/run/model_file.hpp"

namespace oida::app {

/// Gets a tile's class index + 1 (0: the scene has no valid value there), on rank 0.
using TileSink = std::function<void(const Window&, std::span<const std::uint8_t>)>;

/// Collective. A rank maps a run of neighbouring tiles, so that it reads only its part of the scene
/// with a margin; rank 0 hands the tiles of all to `sink`, those of one rank in order.
void map_scene(Comm& comm, Engine& engine, std::span<const float> parameters, const Model& model,
               SceneSource& scene, const TileSink& sink);

}  // namespace oida::app
