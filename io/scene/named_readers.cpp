#include "io/scene/named_readers.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/error.hpp"
#include "io/scene/envi_plane.hpp"
#include "io/scene/h5_plane.hpp"
#include "io/scene/named_detail.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

/// NAME.data of NAME.dim, or the path itself.
std::string data_folder(const std::string& path) {
  const fs::path file(path);
  return file.extension() == ".dim" ? fs::path(file).replace_extension(".data").string() : path;
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() > kMostNames ? text + ", ..." : text;
}

/// The known names that are there. HDF5 1.10 can crash when it lists the links of a damaged group.
std::vector<std::string> names_in(const H5Product& file) {
  std::vector<std::string> names;
  for (const auto& name : known_names()) {
    if (file.has("/" + name)) names.push_back(name);
  }
  return names;
}

}  // namespace

std::vector<std::string> stems_in(const std::string& folder, const std::string& ending) {
  std::vector<std::string> stems;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ending) stems.push_back(it->path().stem().string());
  }
  std::sort(stems.begin(), stems.end());
  return stems;
}

NamedMatrix require_matrix(const std::string& path, const std::vector<std::string>& names,
                           const SceneOptions& options) {
  auto matrix = match_names(names);
  if (!matrix) {
    throw InputError(path, "holds " + (names.empty() ? "no named raster" : list_of(names)) +
                               ": no S2, C2, C3, T3, C4 or T4 is whole among them");
  }
  const bool is_c2 = matrix->kind == MatrixKind::c2;
  if (is_c2 && options.pair != ChannelPair::none) matrix->pair = options.pair;
  return *matrix;
}

bool is_dimap(const std::string& path) {
  return match_names(stems_in(data_folder(path), ".img")).has_value();
}

std::unique_ptr<SceneSource> open_dimap(const std::string& path, const SceneOptions& options) {
  const std::string folder = data_folder(path);
  const auto matrix = require_matrix(folder, stems_in(folder, ".img"), options);
  SceneInfo info;
  info.path = path;
  info.format = "BEAM-DIMAP " + std::string(name(matrix.kind));
  std::optional<Georeference> place;
  SceneLayout layout = layout_of(matrix, info, [&](const std::string& part) {
    const std::string file = (fs::path(folder) / (part + ".img")).string();
    const EnviRaster raster = read_envi_header(file);
    if (!place) place = raster.georeference;
    Channel channel;
    channel.plane = open_raw_plane(file, raster.shape);
    return channel;
  });
  layout.info.georeference = place.value_or(Georeference{});
  return make_scene(std::move(layout));
}

bool is_netcdf_beam(const std::string& path) {
  if (!is_h5(path)) return false;
  try {
    return match_names(names_in(H5Product(path))).has_value();
  } catch (const InputError&) {
    return false;  // said by the reader that is asked to open it
  }
}

std::unique_ptr<SceneSource> open_netcdf_beam(const std::string& path,
                                              const SceneOptions& options) {
  const H5Product file(path);
  const auto matrix = require_matrix(path, names_in(file), options);
  SceneInfo info;
  info.path = path;
  info.format = "NetCDF-BEAM " + std::string(name(matrix.kind));
  return make_scene(layout_of(matrix, info, [&](const std::string& part) {
    Channel channel;
    channel.plane = file.plane("/" + part);
    return channel;
  }));
}

}  // namespace oida
