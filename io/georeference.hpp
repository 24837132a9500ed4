#pragma once
// Where a raster lies on the ground, as far as its file says so credibly.

#include <optional>

#include "data/scene_source.hpp"
#include "io/gdal.hpp"

namespace oida {

/// Nothing where the file has none, or the dummy (origin 0, 0 and pixels of 1) that PolSARpro
/// writes.
std::optional<Georeference> georeference_of(GDALDataset& raster);

/// WKT of an EPSG code; empty when GDAL does not know it.
std::string wkt_of_epsg(int code);

}  // namespace oida
