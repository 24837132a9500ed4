#include <array>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/error.hpp"
#include "io/georeference.hpp"
#include "io/scene/gdal_plane.hpp"
#include "io/scene/named_detail.hpp"
#include "io/scene/named_readers.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

bool is_tiff(const std::string& path) {
  std::array<char, 4> start{};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  if (!file) return false;
  const std::string_view bytes(start.data(), start.size());
  using namespace std::string_view_literals;
  return bytes == "II*\0"sv || bytes == "II+\0"sv || bytes == "MM\0*"sv || bytes == "MM\0+"sv;
}

/// Where an element lies: file and band.
struct Place {
  std::string file;
  int band = 1;
};
using Places = std::map<std::string, Place>;

Places places_in_folder(const std::string& folder) {
  Places places;
  for (const char* ending : {".tif", ".tiff"}) {
    for (const auto& stem : stems_in(folder, ending)) {
      places[stem] = {(fs::path(folder) / (stem + ending)).string(), 1};
    }
  }
  return places;
}

Places places_in_stack(const std::string& path) {
  Places places;
  const SharedRaster raster = open_shared_raster(path, "GTiff");
  for (int band = 1; band <= raster->GetRasterCount(); ++band) {
    const std::string name = raster->GetRasterBand(band)->GetDescription();
    if (!name.empty()) places[name] = {path, band};
  }
  return places;
}

std::vector<std::string> names_of(const Places& places) {
  std::vector<std::string> names;
  for (const auto& [name, place] : places) names.push_back(name);
  return names;
}

}  // namespace

bool is_geotiff(const std::string& path) {
  if (is_tiff(path)) return true;
  return match_names(names_of(places_in_folder(path))).has_value();
}

std::unique_ptr<SceneSource> open_geotiff(const std::string& path, const SceneOptions& options) {
  const Places places = is_tiff(path) ? places_in_stack(path) : places_in_folder(path);
  const auto matrix = require_matrix(path, names_of(places), options);
  SceneInfo info;
  info.path = path;
  info.format = "GeoTIFF " + std::string(name(matrix.kind));
  std::map<std::string, SharedRaster> files;
  Georeference where;
  SceneLayout layout = layout_of(matrix, info, [&](const std::string& part) {
    const Place& place = places.at(part);
    SharedRaster& raster = files[place.file];
    if (!raster) raster = open_shared_raster(place.file, "GTiff");
    if (!where.present()) where = georeference_of(*raster).value_or(Georeference{});
    Channel channel;
    channel.plane = gdal_plane(raster, place.file, place.band);
    int has_no_data = 0;
    const double no_data = raster->GetRasterBand(place.band)->GetNoDataValue(&has_no_data);
    // Zero is a value that cross terms have; where all elements are zero there is no power.
    if (has_no_data != 0 && no_data != 0) channel.no_data = static_cast<float>(no_data);
    return channel;
  });
  layout.info.georeference = where;
  return make_scene(std::move(layout));
}

}  // namespace oida
