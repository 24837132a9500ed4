#pragma once
// The smallest whole scene of each format, to be damaged.

#include <span>
#include <string>

#include "data/scene_source.hpp"

namespace oida::testing {

/// Some whole files in `folder`; what is given to the reader is `folder` + `path`.
struct SmallScene {
  const char* name;
  void (*make)(const std::string& folder);
  const char* path;
};
std::span<const SmallScene> small_scenes();

/// All of a small scene, or a corner of one that claims to be large.
void read_some(SceneSource& scene);

/// Regular files in a folder and those below, in the order of their names.
std::vector<std::string> files_below(const std::string& folder);

}  // namespace oida::testing
