#pragma once
// Opens a scene of any supported format, found by content.

#include <memory>
#include <string>
#include <vector>

#include "data/scene_source.hpp"

namespace oida {

struct SceneOptions {
  std::string format = "auto";           // auto, or one of scene_formats()
  int rows = 0, cols = 0;                // only for files that do not say their size
  ChannelPair pair = ChannelPair::none;  // of a C2 whose files do not say it (or say it wrong)
};

/// Names that `SceneOptions::format` can have, "auto" first.
std::vector<std::string> scene_formats();

/// "auto", "pp1", "pp2", "pp3", "rh_rv": names of `SceneOptions::pair`.
std::vector<std::string> scene_channels();
/// InputError on another name.
ChannelPair channel_pair(const std::string& name);

/// `path` is a folder or a file. Without a format each reader is asked in turn whether the content
/// is its own.
/// InputError (path named) for a missing element, a size that does not fit header or file, a
/// folder above the right one (which is then named), an unknown or damaged format.
std::unique_ptr<SceneSource> open_scene(const std::string& path, const SceneOptions& options = {});

}  // namespace oida
