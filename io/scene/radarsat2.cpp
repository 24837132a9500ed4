#include <filesystem>
#include <fstream>
#include <system_error>

#include "core/error.hpp"
#include "io/scene/amplitude_readers.hpp"
#include "io/scene/gdal_plane.hpp"
#include "io/scene/matrix_names.hpp"
#include "io/scene/product_files.hpp"
#include "io/scene/radarsat2_product.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

/// The product.xml itself, or that of a folder.
std::string product_of(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error) ? (fs::path(path) / "product.xml").string() : path;
}

}  // namespace

bool is_radarsat2(const std::string& path) {
  constexpr std::size_t kLooked = 4096;
  const std::string file = product_of(path);
  if (fs::path(file).filename() != "product.xml") return false;
  std::string start(kLooked, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start.find("/rs2") != std::string::npos && start.find("<product") != std::string::npos;
}

std::unique_ptr<SceneSource> open_radarsat2(const std::string& path, const SceneOptions&) {
  const std::string file = product_of(path);
  const Radarsat2Product product = read_radarsat2_product(file);
  SceneInfo info;
  info.path = path;
  info.format = "RADARSAT-2 sigma nought";
  const auto matrix = match_polarisations(file, keys_of(product.images));
  return make_scene(layout_of(matrix, std::move(info), [&](const std::string& name) {
    Channel channel;
    channel.plane = gdal_amplitude(product.images.at(name), "GTiff");
    channel.column_gain = product.gains;
    return channel;
  }));
}

}  // namespace oida
