#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "core/error.hpp"
#include "io/scene/amplitude_readers.hpp"
#include "io/scene/derived_plane.hpp"
#include "io/scene/gdal_plane.hpp"
#include "io/scene/named_detail.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

struct Measurement {
  std::string swath, type, polarisation, file;
};

/// The parts of "s1b-iw1-slc-vh-20210401t052624-...".
std::vector<Measurement> measurements_in(const std::string& folder) {
  std::vector<Measurement> found;
  for (const auto& stem : stems_in(folder, ".tiff")) {
    std::vector<std::string> parts;
    std::istringstream text(stem);
    for (std::string part; std::getline(text, part, '-');) parts.push_back(part);
    const bool own =
        parts.size() > 4 && parts[0].starts_with("s1") && (parts[2] == "slc" || parts[2] == "grd");
    if (!own) continue;
    std::string polarisation = parts[3];
    for (char& c : polarisation) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    found.push_back(
        {parts[1], parts[2], polarisation, (fs::path(folder) / (stem + ".tiff")).string()});
  }
  return found;
}

std::string measurement_folder(const std::string& path) {
  std::error_code error;
  const fs::path below = fs::path(path) / "measurement";
  return fs::is_directory(below, error) ? below.string() : path;
}

/// Detected amplitudes have no phase: the diagonal of a C2 is all there is.
std::unique_ptr<SceneSource> open_detected(SceneInfo info, const NamedMatrix& matrix,
                                           const std::map<std::string, std::string>& files) {
  if (matrix.kind != MatrixKind::c2) {
    throw InputError(info.path, "holds more than two polarisations of a GRD");
  }
  info.kind = matrix.kind;
  info.pair = matrix.pair;
  info.notes.push_back("detected amplitudes without phase: C12 is zero");
  SceneLayout layout;
  layout.info = std::move(info);
  for (const auto& [part, plane] :
       {std::pair{matrix.parts[0].name, 0}, {matrix.parts[1].name, 3}}) {
    const std::string& file = files.at(part);
    Channel channel;
    channel.plane = power_plane(gdal_plane(open_shared_raster(file, "GTiff"), file, 1));
    channel.real = plane;
    layout.channels.push_back(std::move(channel));
  }
  return make_scene(std::move(layout));
}

}  // namespace

bool is_sentinel1(const std::string& path) {
  return !measurements_in(measurement_folder(path)).empty();
}

std::unique_ptr<SceneSource> open_sentinel1(const std::string& path, const SceneOptions&) {
  const auto found = measurements_in(measurement_folder(path));
  std::set<std::string> swaths, types;
  std::vector<std::string> polarisations;
  std::map<std::string, std::string> files;
  for (const auto& [swath, type, polarisation, file] : found) {
    swaths.insert(swath);
    types.insert(type);
    polarisations.push_back(polarisation);
    files[polarisation] = file;
  }
  if (swaths.size() != 1 || types.size() != 1) {
    throw InputError(path, "holds " + std::to_string(swaths.size()) + " swaths and " +
                               std::to_string(types.size()) +
                               " types of Sentinel-1 images; a scene is one of one: give a folder "
                               "with its TIFFs");
  }
  const bool detected = *types.begin() == "grd";
  SceneInfo info;
  info.path = path;
  info.format = (detected ? "Sentinel-1 GRD " : "Sentinel-1 SLC ") + *swaths.begin();
  info.notes.push_back("digital numbers: the radiometric calibration is not applied");
  const auto matrix = match_polarisations(path, polarisations);
  if (detected) return open_detected(std::move(info), matrix, files);
  return make_scene(layout_of(matrix, std::move(info), [&](const std::string& name) {
    Channel channel;
    channel.plane = gdal_amplitude(files.at(name), "GTiff");
    return channel;
  }));
}

}  // namespace oida
