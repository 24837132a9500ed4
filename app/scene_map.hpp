#pragma once
// Maps and pictures of a run's scenes, in its run directory.

#include <functional>

#include "comm/comm.hpp"
#include "dataset.hpp"
#include "engine/engine.hpp"
#include "io/run/model_file.hpp"

namespace oida::app {

/// Collective. quicklook.png, and where run.class_map asks for it class_map.tif and class_map.png;
/// the second scene's are quicklook-2.png and so on. `samples_per_s` of all ranks estimates the
/// time; `still_alive` is called on rank 0 after every tile.
void draw_scenes(Comm& comm, const Deck& deck, Dataset& data, Engine& engine,
                 std::span<const float> parameters, const Model& model, double samples_per_s,
                 const std::function<void()>& still_alive);

/// Collective. The class map of one scene as GeoTIFF, and as PNG where `png` names one.
void write_map(
    Comm& comm, Engine& engine, std::span<const float> parameters, const Model& model,
    SceneSource& scene, const std::string& tif, const std::string& png,
    const std::function<void()>& still_alive = [] {});

}  // namespace oida::app
