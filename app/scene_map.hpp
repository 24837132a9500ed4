#pragma once
// Maps and pictures of a run's scenes, in its run directory.

#include <functional>

#include "comm/comm.hpp"
#include "dataset.hpp"
#include "engine/engine.hpp"
#include "io/run/model_file.hpp"

namespace oida::app {

/// Files to make of one scene; those without a name are not made.
struct MapFiles {
  std::string classes;        // GeoTIFF of class numbers
  std::string picture;        // PNG of the classes
  std::string probabilities;  // GeoTIFF, a band a class
  std::string entropy;        // GeoTIFF of the probabilities' entropy over its most, log(classes)

  bool needs_probabilities() const { return !probabilities.empty() || !entropy.empty(); }
};

/// Collective. quicklook.png, and where run.class_map asks for it class_map.tif and class_map.png,
/// where run.probabilities and run.entropy do probabilities.tif and entropy.tif; the second scene's
/// are quicklook-2.png and so on. `samples_per_s` of all ranks estimates the time; `still_alive` is
/// called on rank 0 after every tile.
void draw_scenes(Comm& comm, const Deck& deck, Dataset& data, Engine& engine,
                 std::span<const float> parameters, const Model& model, double samples_per_s,
                 const std::function<void()>& still_alive);

/// Collective.
void write_map(
    Comm& comm, Engine& engine, std::span<const float> parameters, const Model& model,
    SceneSource& scene, const MapFiles& files, const std::function<void()>& still_alive = [] {});

}  // namespace oida::app
