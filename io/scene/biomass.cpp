#include <algorithm>
#include <filesystem>

#include "core/error.hpp"
#include "io/scene/derived_plane.hpp"
#include "io/scene/gdal_plane.hpp"
#include "io/scene/h5_plane.hpp"
#include "io/scene/matrix_names.hpp"
#include "io/scene/product_files.hpp"
#include "io/scene/product_readers.hpp"
#include "io/scene/xml_file.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

constexpr float kNoData = -9999;
constexpr const char* kTable = "/radiometry/sigmaNought";

std::string file_in(const std::string& path, const char* folder, const char* ending) {
  return only_file((fs::path(path) / folder).string(), ending);
}

std::string require_file(const std::string& path, const char* folder, const char* ending) {
  const std::string file = file_in(path, folder, ending);
  if (!file.empty()) return file;
  throw InputError(path, std::string("holds not one ") + folder + "/*" + ending);
}

/// Factors of amplitudes for sigma nought.
FactorGrid read_table(const std::string& file) {
  const H5Product table(file);
  const auto plane = table.plane(kTable);
  if (plane->complex()) table.refuse(std::string("holds complex values in ") + kTable);
  FactorGrid grid{plane->rows(), plane->cols(), {}};
  grid.values.resize(static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.cols));
  plane->read({0, 0, grid.rows, grid.cols}, grid.values.data(), nullptr);
  return grid;
}

}  // namespace

bool is_biomass(const std::string& path) {
  return !file_in(path, "measurement", "_i_abs.tiff").empty() &&
         !file_in(path, "measurement", "_i_phase.tiff").empty();
}

std::unique_ptr<SceneSource> open_biomass(const std::string& path, const SceneOptions&) {
  const std::string magnitude = require_file(path, "measurement", "_i_abs.tiff");
  const std::string phase = require_file(path, "measurement", "_i_phase.tiff");
  const XmlFile annotation(require_file(path, "annotation", "_annot.xml"));
  const FactorGrid factors = read_table(require_file(path, "annotation", "_lut.nc"));
  const SharedRaster magnitudes = open_shared_raster(magnitude, "GTiff");
  const SharedRaster phases = open_shared_raster(phase, "GTiff");
  std::vector<std::string> declared;
  for (const auto& element : annotation.children("polarisationList")) {
    declared.push_back(element.text);
  }
  SceneInfo info;
  info.path = path;
  info.format = "BIOMASS L1a sigma nought";
  info.notes.push_back("bands are taken in the order of polarisationList");
  const auto matrix = match_polarisations(annotation.path(), declared);
  return make_scene(layout_of(matrix, std::move(info), [&](const std::string& name) {
    const auto at = std::find(declared.begin(), declared.end(), name) - declared.begin();
    const int band = static_cast<int>(at) + 1;
    Channel channel;
    channel.plane = polar_plane(gdal_plane(magnitudes, magnitude, band),
                                gdal_plane(phases, phase, band), factors, kNoData);
    return channel;
  }));
}

}  // namespace oida
