#include "io/scene/polsarpro_size.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "core/error.hpp"
#include "io/gdal.hpp"
#include "io/scene/plane.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

bool fits(PolsarproSize size, std::uint64_t pixels) {
  return size.rows > 0 && size.cols > 0 &&
         static_cast<std::uint64_t>(size.rows) * static_cast<std::uint64_t>(size.cols) == pixels;
}

std::vector<std::string> pictures_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".bmp") found.push_back(it->path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Quicklooks are often reduced, or of something else: only one of the right number of pixels
/// counts.
std::optional<PolsarproSize> quicklook_size(const std::string& folder, std::uint64_t pixels) {
  std::optional<PolsarproSize> found;
  std::string where;
  for (const auto& picture : pictures_in(folder)) {
    PolsarproSize size;
    try {
      const GdalDataset raster = open_raster(picture, "BMP");
      size = {raster->GetRasterYSize(), raster->GetRasterXSize()};
    } catch (const InputError&) {
      continue;  // a damaged picture says nothing of the scene
    }
    if (!fits(size, pixels)) continue;
    if (found && found->rows != size.rows) {
      throw InputError(folder, where + " and " + picture +
                                   " have the same number of pixels in different shapes: give "
                                   "scene.rows and scene.cols");
    }
    found = size;
    where = picture;
  }
  return found;
}

}  // namespace

PolsarproSize headerless_size(const std::string& folder, const std::string& file,
                              std::uint64_t file_bytes, std::uint64_t pixel_bytes,
                              const SceneOptions& options) {
  const std::uint64_t pixels = file_bytes / pixel_bytes;
  const auto checked = [&](PolsarproSize size, const std::string& source) {
    if (fits(size, pixels) && pixels * pixel_bytes == file_bytes) return size;
    throw InputError(file, "has " + std::to_string(file_bytes) + " bytes where " + source + " (" +
                               size_text(size.rows, size.cols) + ") needs " +
                               std::to_string(static_cast<std::uint64_t>(size.rows) *
                                              static_cast<std::uint64_t>(size.cols) * pixel_bytes));
  };
  if (const auto size = read_polsarpro_config(folder)) return checked(*size, "config.txt");
  if (options.rows > 0 && options.cols > 0) {
    return checked({options.rows, options.cols}, "the size in scene.rows, scene.cols");
  }
  if (const auto size = quicklook_size(folder, pixels)) return checked(*size, "the quicklook");
  throw InputError(file,
                   "has no ENVI header (.bin.hdr or .hdr), and neither config.txt nor a "
                   "quicklook (.bmp) of the same size is beside it: give scene.rows and "
                   "scene.cols");
}

}  // namespace oida
