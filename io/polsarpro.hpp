#pragma once
// PolSARpro folders: one raw file an element, ENVI headers, config.txt.

#include <memory>
#include <string>

#include "data/scene_source.hpp"

namespace oida {

/// A T3 folder; `rows` and `cols` other than 0 must be those of the files. See open_scene().
std::unique_ptr<SceneSource> open_polsarpro(const std::string& folder, int rows, int cols);

}  // namespace oida
