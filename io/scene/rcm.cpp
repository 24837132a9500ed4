#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "core/error.hpp"
#include "io/scene/gdal_plane.hpp"
#include "io/scene/matrix_names.hpp"
#include "io/scene/product_files.hpp"
#include "io/scene/product_readers.hpp"
#include "io/scene/xml_file.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

/// The product's folder, of its metadata/product.xml or of itself; empty when it is none.
fs::path root_of(const std::string& path) {
  std::error_code error;
  const fs::path given(path);
  const fs::path root =
      given.filename() == "product.xml" ? given.parent_path().parent_path() : given;
  return fs::exists(root / "metadata" / "product.xml", error) ? root : fs::path();
}

/// Gains of all columns: entry k of the table belongs to column first + k x step; between them
/// linear, beyond them the nearest.
std::vector<float> gains_of(const std::string& file, int cols) {
  const XmlFile lut(file);
  auto gains = lut.numbers("gains");
  const double step = lut.number("stepSize").value_or(0);
  double first = lut.number("pixelFirstLutValue").value_or(0);
  if (gains.empty() || step == 0 ||
      !std::all_of(gains.begin(), gains.end(), [](double gain) { return gain > 0; })) {
    throw InputError(file, "is no table of gains above 0 with a stepSize");
  }
  if (step < 0) {
    first += step * static_cast<double>(gains.size() - 1);
    std::reverse(gains.begin(), gains.end());
  }
  std::vector<float> out;
  for (int col = 0; col < cols; ++col) {
    const double last = static_cast<double>(gains.size() - 1);
    const double at = std::clamp((col - first) / std::abs(step), 0.0, last);
    const auto k = static_cast<std::size_t>(at);
    const double next = gains[std::min(k + 1, gains.size() - 1)];
    out.push_back(static_cast<float>(std::lerp(gains[k], next, at - std::floor(at))));
  }
  return out;
}

}  // namespace

bool is_rcm(const std::string& path) {
  constexpr std::size_t kLooked = 4096;
  const fs::path root = root_of(path);
  if (root.empty()) return false;
  std::string start(kLooked, '\0');
  std::ifstream(root / "metadata" / "product.xml", std::ios::binary)
      .read(start.data(), static_cast<std::streamsize>(start.size()));
  return start.find("rcmGsProductSchema") != std::string::npos;
}

std::unique_ptr<SceneSource> open_rcm(const std::string& path, const SceneOptions&) {
  const fs::path root = root_of(path);
  if (root.empty()) throw InputError(path, "has no metadata/product.xml of an RCM product");
  const XmlFile product((root / "metadata" / "product.xml").string());
  const std::string type = product.text("productType").value_or("unknown");
  if (type != "SLC") {
    throw InputError(path,
                     "is an RCM product of type " + type + "; read are SLC, which have phases");
  }
  const auto images = files_by_polarisation((root / "imagery").string(), ".tif");
  SceneInfo info;
  info.path = path;
  info.format = "RCM SLC sigma nought";
  const auto matrix = match_polarisations(path, keys_of(images));
  return make_scene(layout_of(matrix, std::move(info), [&](const std::string& name) {
    const fs::path lut = root / "metadata" / "calibration" / ("lutSigma_" + name + ".xml");
    Channel channel;
    channel.plane = gdal_amplitude(images.at(name), "GTiff");
    channel.column_gain = gains_of(lut.string(), channel.plane->cols());
    return channel;
  }));
}

}  // namespace oida
