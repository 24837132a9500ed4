#pragma once
// Raw rasters with an ENVI header.

#include <memory>
#include <optional>
#include <string>

#include "io/scene/plane.hpp"
#include "io/scene/raw_plane.hpp"

namespace oida {

struct EnviRaster {
  RawShape shape;
  std::optional<Georeference> georeference;
};

/// Reads the header of `path` (GDAL's ENVI driver, forced: raw bytes can look like another format).
/// InputError naming the file when the header is damaged or says anything else than one band of
/// Float32, CFloat32, Int16, CInt16 or Byte.
EnviRaster read_envi_header(const std::string& path);

}  // namespace oida
