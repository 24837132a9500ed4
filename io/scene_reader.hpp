#pragma once
// Opens a scene of any supported format, found by content.

#include <memory>
#include <string>

#include "data/scene_source.hpp"

namespace oida {

struct SceneOptions {
  std::string format = "auto";  // auto | polsarpro
  int rows = 0, cols = 0;       // only for files that do not say their size
};

/// PolSARpro T3 folder: nine float32 files <element>.bin with ENVI headers <element>.bin.hdr or
/// <element>.hdr, through GDAL's ENVI driver (forced); mask_valid_pixels.bin is honoured; the dummy
/// "map info = {UTM,1,1,0,0,1,1,30,North}" is no georeference.
/// InputError (path named) for a missing element, a size that does not fit header or config.txt, a
/// folder above the right one (which is then named), an unknown format.
std::unique_ptr<SceneSource> open_scene(const std::string& path, const SceneOptions& options = {});

}  // namespace oida
