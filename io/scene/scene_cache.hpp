#pragma once
// A scene converted once into chunked HDF5, for formats that are slow to read in windows.

#include <memory>
#include <string>

#include "data/scene_source.hpp"
#include "io/scene/scene_reader.hpp"

namespace oida {

/// The cache of `scene` in `folder`, named after its path, kind, size and the sizes and times of
/// its files: a scene that changed gets another one.
std::string scene_cache_file(const std::string& folder, const SceneInfo& scene);

/// Makes the file when it is not there: under a name of its own, then renamed, so that two jobs may
/// do it at once. Every chunk carries a checksum. Error naming the file.
void make_scene_cache(const std::string& file, SceneSource& scene);

bool is_scene_cache(const std::string& path);
std::unique_ptr<SceneSource> open_scene_cache(const std::string& path, const SceneOptions& options);

}  // namespace oida
