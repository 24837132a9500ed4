#pragma once
// Scenes whose rasters carry the names of their elements: GeoTIFF, SNAP's BEAM-DIMAP and
// NetCDF-BEAM.

#include <memory>
#include <string>

#include "data/scene_source.hpp"
#include "io/scene/scene_reader.hpp"

namespace oida {

/// A folder of one GeoTIFF an element (T11.tif, ...), or one GeoTIFF whose bands have the elements'
/// names as descriptions. A band's own "no data" value is honoured.
bool is_geotiff(const std::string& path);
std::unique_ptr<SceneSource> open_geotiff(const std::string& path, const SceneOptions& options);

/// NAME.dim with its folder NAME.data, or that folder: ENVI rasters NAME.img, usually big-endian.
bool is_dimap(const std::string& path);
std::unique_ptr<SceneSource> open_dimap(const std::string& path, const SceneOptions& options);

/// HDF5 with the elements as two-dimensional variables at its root.
bool is_netcdf_beam(const std::string& path);
std::unique_ptr<SceneSource> open_netcdf_beam(const std::string& path, const SceneOptions& options);

}  // namespace oida
