#pragma once
// PolSARpro folders: one raw file an element, ENVI headers, config.txt.

#include <memory>
#include <string>

#include "data/scene_source.hpp"
#include "io/scene/scene_reader.hpp"

namespace oida {

/// All elements of S2, C2, C3, T3, C4 or T4 lie in the folder.
bool is_polsarpro(const std::string& path);

/// `options.rows` and `options.cols` other than 0 must be those of the files. See open_scene().
std::unique_ptr<SceneSource> open_polsarpro(const std::string& path, const SceneOptions& options);

}  // namespace oida
