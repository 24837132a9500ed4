#include "io/scene/labels.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "core/error.hpp"
#include "io/scene/labels_detail.hpp"

namespace oida {

void check_label_size(const std::string& path, std::size_t found_rows, std::size_t found_cols,
                      int rows, int cols) {
  const auto wanted_rows = static_cast<std::size_t>(rows);
  const auto wanted_cols = static_cast<std::size_t>(cols);
  if (found_rows == wanted_rows && found_cols == wanted_cols) return;
  std::ostringstream what;
  what << "labels have " << found_rows << " rows x " << found_cols << " cols, the scene has "
       << rows << " rows x " << cols << " cols";
  if (found_rows == wanted_cols && found_cols == wanted_rows) what << " (they look transposed)";
  throw InputError(path, what.str());
}

std::uint8_t label_id(const std::string& path, double value) {
  constexpr double kLargest = 254;
  if (value >= 0 && value <= kLargest && value == static_cast<std::uint8_t>(value)) {
    return static_cast<std::uint8_t>(value);
  }
  std::ostringstream what;
  what << "holds the label " << value << "; allowed are whole numbers from 0 to 254";
  throw InputError(path, what.str());
}

namespace {

std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

bool has_header(const std::string& path) {
  std::error_code error;
  const auto header = std::filesystem::path(path).replace_extension(".hdr");
  return std::filesystem::exists(path + ".hdr", error) || std::filesystem::exists(header, error);
}

}  // namespace

LabelRaster read_labels(const std::string& path, const SceneInfo& scene,
                        const std::string& attribute) {
  std::error_code error;
  const std::string ending = ending_of(path);
  const bool vector = ending == ".shp" || ending == ".gpkg" || ending == ".geojson";
  if (vector && std::filesystem::is_regular_file(path, error)) {
    return read_vector_labels(path, scene, attribute);
  }
  return read_labels(path, scene.rows, scene.cols);
}

LabelRaster read_labels(const std::string& path, int rows, int cols) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw InputError(path, "does not exist");
  if (!std::filesystem::is_regular_file(status)) throw InputError(path, "is not a file");
  const std::string ending = ending_of(path);
  if (ending == ".mat") return read_mat_labels(path, rows, cols);
  if (ending == ".png") return read_raster_labels(path, "PNG", rows, cols);
  if (ending == ".tif" || ending == ".tiff") return read_raster_labels(path, "GTiff", rows, cols);
  if (has_header(path)) return read_raster_labels(path, "ENVI", rows, cols);
  throw InputError(
      path,
      "is not a label file: allowed are .mat, .png, .tif, ENVI with a .hdr beside, and "
      "on a georeferenced scene .shp, .gpkg, .geojson");
}

}  // namespace oida
