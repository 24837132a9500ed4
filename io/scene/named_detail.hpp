#pragma once
// What the readers of named rasters share.

#include <string>
#include <vector>

#include "io/scene/matrix_names.hpp"
#include "io/scene/scene_reader.hpp"

namespace oida {

/// Files of a folder with this ending, by their name without it; sorted.
std::vector<std::string> stems_in(const std::string& folder, const std::string& ending);

/// match_names(); InputError naming `path` and the names found when they make up no matrix.
NamedMatrix require_matrix(const std::string& path, const std::vector<std::string>& names,
                           const SceneOptions& options);

}  // namespace oida
