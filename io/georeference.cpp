#include "io/georeference.hpp"

#include <cmath>

#include <ogr_spatialref.h>

namespace oida {

std::optional<Georeference> georeference_of(GDALDataset& raster) {
  Georeference geo;
  const char* wkt = raster.GetProjectionRef();
  GdalErrors errors;
  if (wkt == nullptr || *wkt == '\0') return std::nullopt;
  if (raster.GetGeoTransform(geo.transform.data()) != CE_None) return std::nullopt;
  const auto& t = geo.transform;
  if (t[0] == 0 && t[3] == 0 && std::abs(t[1]) == 1 && std::abs(t[5]) == 1) return std::nullopt;
  geo.wkt = wkt;
  return geo;
}

std::string wkt_of_epsg(int code) {
  const GdalErrors errors;
  OGRSpatialReference reference;
  char* text = nullptr;
  if (reference.importFromEPSG(code) != OGRERR_NONE ||
      reference.exportToWkt(&text) != OGRERR_NONE) {
    CPLFree(text);
    return "";
  }
  const std::string wkt = text;
  CPLFree(text);
  return wkt;
}

}  // namespace oida
