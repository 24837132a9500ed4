// Labels drawn as polygons: rasterised onto the scene's grid.

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <gdal_alg.h>
#include <ogrsf_frmts.h>

#include "core/error.hpp"
#include "io/gdal.hpp"
#include "io/scene/labels_detail.hpp"

namespace oida {
namespace {

constexpr std::array<const char*, 4> kDrivers = {"ESRI Shapefile", "GPKG", "GeoJSON", nullptr};
constexpr std::size_t kMostClasses = 254;

GdalDataset open_vector(const std::string& path) {
  start_gdal();
  GdalErrors errors;
  GdalDataset file(GDALDataset::FromHandle(GDALOpenEx(
      path.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY, kDrivers.data(), nullptr, nullptr)));
  if (!file) throw InputError(path, "cannot be opened as polygons: " + errors.text());
  return file;
}

/// The first layer with the attribute.
OGRLayer& layer_with(GDALDataset& file, const std::string& path, const std::string& attribute) {
  std::string names;
  for (OGRLayer* layer : file.GetLayers()) {
    OGRFeatureDefn& fields = *layer->GetLayerDefn();
    if (fields.GetFieldIndex(attribute.c_str()) >= 0) return *layer;
    for (int i = 0; i < fields.GetFieldCount(); ++i) {
      names += (names.empty() ? "" : ", ") + std::string(fields.GetFieldDefn(i)->GetNameRef());
    }
  }
  throw InputError(path, "has no attribute '" + attribute +
                             "' (scene.label_attribute); there are " +
                             (names.empty() ? "none" : names));
}

bool is_integer(OGRLayer& layer, const std::string& attribute) {
  OGRFeatureDefn& fields = *layer.GetLayerDefn();
  const auto type = fields.GetFieldDefn(fields.GetFieldIndex(attribute.c_str()))->GetType();
  return type == OFTInteger || type == OFTInteger64;
}

/// What the features' attribute says, without those that leave it open.
std::set<std::string> values_of(OGRLayer& layer, const std::string& attribute) {
  std::set<std::string> values;
  for (const auto& feature : layer) {
    const int field = feature->GetFieldIndex(attribute.c_str());
    if (feature->IsFieldSetAndNotNull(field)) values.insert(feature->GetFieldAsString(field));
  }
  return values;
}

/// Ids by value: numbers are ids, words are numbered from 1 in alphabetical order.
std::map<std::string, int> number_values(const std::set<std::string>& values, bool integer,
                                         LabelRaster& out) {
  if (values.empty()) throw InputError(out.path, "holds no labelled polygon");
  if (values.size() > kMostClasses) throw InputError(out.path, "has more than 254 classes");
  std::map<std::string, int> ids;
  for (const auto& value : values) {
    if (integer) {
      ids[value] = label_id(out.path, std::stod(value));
      continue;
    }
    const int id = static_cast<int>(ids.size()) + 1;
    ids[value] = id;
    out.names[id] = value;
  }
  return ids;
}

std::string filter(const std::string& attribute, const std::string& value, bool integer) {
  std::string quoted;
  for (const char c : value) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return '"' + attribute + "\" = " + (integer ? value : '\'' + quoted + '\'');
}

void draw(OGRLayer& layer, GDALDataset& raster, int id, const std::string& path) {
  GdalErrors errors;
  int band = 1;
  double value = id;
  OGRLayerH handle = OGRLayer::ToHandle(&layer);
  if (GDALRasterizeLayers(GDALDataset::ToHandle(&raster), 1, &band, 1, &handle, nullptr, nullptr,
                          &value, nullptr, nullptr, nullptr) != CE_None) {
    throw InputError(path, "cannot be drawn onto the scene: " + errors.text());
  }
}

/// An empty raster on the scene's grid.
GdalDataset grid_of(const SceneInfo& scene, LabelRaster& out) {
  GdalDataset raster = memory_raster(out.rows, out.cols, 1, out.ids);
  auto transform = scene.georeference.transform;
  if (raster->SetGeoTransform(transform.data()) != CE_None ||
      raster->SetProjection(scene.georeference.wkt.c_str()) != CE_None) {
    throw InputError(scene.path, "has a georeference that GDAL does not take");
  }
  return raster;
}

}  // namespace

LabelRaster read_vector_labels(const std::string& path, const SceneInfo& scene,
                               const std::string& attribute) {
  if (!scene.georeference.present()) {
    throw InputError(path, "holds polygons on the ground, and the scene has no georeference");
  }
  LabelRaster out;
  out.path = path;
  out.rows = scene.rows;
  out.cols = scene.cols;
  out.ids.resize(static_cast<std::size_t>(scene.rows) * static_cast<std::size_t>(scene.cols));
  const GdalDataset file = open_vector(path);
  OGRLayer& layer = layer_with(*file, path, attribute);
  const bool integer = is_integer(layer, attribute);
  const GdalDataset raster = grid_of(scene, out);
  for (const auto& [value, id] : number_values(values_of(layer, attribute), integer, out)) {
    layer.SetAttributeFilter(filter(attribute, value, integer).c_str());
    draw(layer, *raster, id, path);
  }
  if (raster->GetRasterBand(1)->RasterIO(GF_Read, 0, 0, out.cols, out.rows, out.ids.data(),
                                         out.cols, out.rows, GDT_Byte, 0, 0, nullptr) != CE_None) {
    throw Error(path, "cannot be read back from the scene's grid");
  }
  if (std::all_of(out.ids.begin(), out.ids.end(), [](std::uint8_t id) { return id == 0; })) {
    throw InputError(path, "has no polygon on the scene");
  }
  return out;
}

}  // namespace oida
