#include <cmath>
#include <filesystem>

#include "core/error.hpp"
#include "io/scene/gdal_plane.hpp"
#include "io/scene/matrix_names.hpp"
#include "io/scene/product_files.hpp"
#include "io/scene/product_readers.hpp"
#include "io/scene/xml_file.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

constexpr double kLargestNumber = 32767;
constexpr const char* kMetaEnding = ".meta.xml";

/// The meta.xml itself, or the only one of a folder.
std::string meta_of(const std::string& path) {
  return path.ends_with(kMetaEnding) ? path : only_file(path, kMetaEnding);
}

/// Amplitude a digital number, of one polarisation.
double scale_of(const XmlFile& meta, const std::string& polarisation) {
  const auto most = meta.number("QualifyValue", polarisation);
  if (!most || *most <= 0) {
    throw InputError(meta.path(), "has no QualifyValue of " + polarisation);
  }
  const double constant_db = meta.number("CalibrationConst", polarisation).value_or(0);
  return *most / kLargestNumber * std::pow(10.0, -constant_db / 20);
}

}  // namespace

bool is_gaofen3(const std::string& path) {
  const std::string meta = meta_of(path);
  if (meta.empty() || !fs::path(meta).filename().string().starts_with("GF3")) return false;
  try {
    return !XmlFile(meta).children("QualifyValue").empty();
  } catch (const InputError&) {
    return false;  // said by the reader that is asked to open it
  }
}

std::unique_ptr<SceneSource> open_gaofen3(const std::string& path, const SceneOptions&) {
  const std::string file = meta_of(path);
  if (file.empty()) throw InputError(path, "is no GF-3 .meta.xml, nor a folder with just one");
  const XmlFile meta(file);
  const auto images = files_by_polarisation(fs::path(file).parent_path().string(), ".tiff");
  SceneInfo info;
  info.path = path;
  info.format = "GF-3 L1A";
  const auto matrix = match_polarisations(path, keys_of(images));
  for (const auto& part : matrix.parts) {
    if (meta.number("CalibrationConst", part.name)) continue;
    info.notes.push_back("no calibration constant of " + part.name + ": taken for 0 dB");
  }
  return make_scene(layout_of(matrix, std::move(info), [&](const std::string& name) {
    Channel channel;
    channel.plane = gdal_amplitude(images.at(name), "GTiff");
    channel.factor = static_cast<float>(scale_of(meta, name));
    return channel;
  }));
}

}  // namespace oida
