#pragma once
// Rasters that GDAL reads.

#include <memory>
#include <string>
#include <vector>

#include "io/gdal.hpp"
#include "io/scene/plane.hpp"

namespace oida {

/// One handle for all bands of a file; it belongs to the thread that reads.
using SharedRaster = std::shared_ptr<GDALDataset>;

/// Opens with one forced driver. InputError naming `path`, also when the file is so small that the
/// size it claims cannot be true.
SharedRaster open_shared_raster(const std::string& path, const char* driver);

/// A band from 1 on, real or complex as its type is. InputError when the band is not there.
std::unique_ptr<Plane> gdal_plane(const SharedRaster& raster, const std::string& path, int band);

/// A complex raster of two real bands.
std::unique_ptr<Plane> gdal_plane(const SharedRaster& raster, const std::string& path,
                                  int real_band, int imaginary_band);

/// The amplitude in a file: one complex band, or two real ones.
std::unique_ptr<Plane> gdal_amplitude(const std::string& path, const char* driver);

}  // namespace oida
