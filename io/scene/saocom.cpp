#include <filesystem>
#include <system_error>

#include "core/error.hpp"
#include "io/scene/gdal_plane.hpp"
#include "io/scene/matrix_names.hpp"
#include "io/scene/product_files.hpp"
#include "io/scene/product_readers.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

/// The folder Data of NAME.xemt, of a folder with one, or of the unpacked product itself.
fs::path data_of(const std::string& path) {
  std::error_code error;
  const std::string ending = ".xemt";
  const std::string xemt = path.ends_with(ending) ? path : only_file(path, ending);
  if (xemt.empty()) return {};
  const fs::path beside = fs::path(xemt).parent_path();
  for (const fs::path& data : {beside / fs::path(xemt).stem() / "Data", beside / "Data"}) {
    if (fs::is_directory(data, error)) return data;
  }
  return {};
}

}  // namespace

bool is_saocom(const std::string& path) {
  return !data_of(path).empty();
}

std::unique_ptr<SceneSource> open_saocom(const std::string& path, const SceneOptions&) {
  const fs::path data = data_of(path);
  if (data.empty()) throw InputError(path, "is no SAOCOM .xemt with a folder Data");
  const auto images = files_by_polarisation(data.string(), "");
  SceneInfo info;
  info.path = path;
  info.format = "SAOCOM L1A";
  info.notes.push_back("amplitudes as the product gives them: no calibration is applied");
  const auto matrix = match_polarisations(data.string(), keys_of(images));
  return make_scene(layout_of(matrix, std::move(info), [&](const std::string& name) {
    Channel channel;
    channel.plane = gdal_amplitude(images.at(name), "GTiff");
    return channel;
  }));
}

}  // namespace oida
