#include "io/polsarpro.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "core/error.hpp"
#include "io/gdal.hpp"
#include "io/polsarpro_config.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMask = "mask_valid_pixels";

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::string size_text(int rows, int cols) {
  return std::to_string(rows) + " rows x " + std::to_string(cols) + " cols";
}

/// Folders just below that hold a T11.bin, sorted.
std::vector<std::string> t3_folders_below(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (is_there(it->path() / "T11.bin")) found.push_back(it->path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

[[noreturn]] void refuse_folder(const std::string& folder) {
  const auto below = t3_folders_below(folder);
  if (!below.empty()) {
    throw InputError(folder, "is a folder above the scene: give " + below.front() + " instead");
  }
  constexpr std::array<std::array<const char*, 2>, 3> kOthers{
      {{"C33.bin", "C3"}, {"s11.bin", "S2"}, {"C22.bin", "C2"}}};
  for (const auto& [file, kind] : kOthers) {
    if (is_there(fs::path(folder) / file)) {
      throw InputError(folder, std::string("holds ") + kind + " files; only T3 is read");
    }
  }
  throw InputError(folder, "is not a PolSARpro T3 folder: T11.bin is missing");
}

void check_elements(const std::string& folder) {
  std::string missing;
  std::size_t count = 0;
  for (const auto element : kT3Elements) {
    if (is_there(fs::path(folder) / (std::string(element) + ".bin"))) continue;
    missing += (missing.empty() ? "" : ", ") + std::string(element) + ".bin";
    ++count;
  }
  if (count == kT3Elements.size()) refuse_folder(folder);
  if (count > 0) throw InputError(folder, missing + (count == 1 ? " is" : " are") + " missing");
}

/// Raw element files know nothing of themselves: header, file and data type must agree.
void check_raster(const std::string& path, GDALDataset& raster) {
  if (raster.GetRasterCount() != 1 || raster.GetRasterBand(1)->GetRasterDataType() != GDT_Float32) {
    throw InputError(path, "header says " + std::to_string(raster.GetRasterCount()) +
                               " band(s) of " +
                               GDALGetDataTypeName(raster.GetRasterBand(1)->GetRasterDataType()) +
                               "; allowed is one band of Float32 (data type = 4)");
  }
  const char* offset_text = raster.GetMetadataItem("header_offset", "ENVI");
  const std::uintmax_t offset =
      offset_text == nullptr ? 0 : std::strtoull(offset_text, nullptr, 10);
  const std::uintmax_t needed = offset + std::uintmax_t{4} *
                                             static_cast<unsigned>(raster.GetRasterXSize()) *
                                             static_cast<unsigned>(raster.GetRasterYSize());
  std::error_code error;
  const std::uintmax_t found = fs::file_size(path, error);
  if (error) throw InputError(path, "cannot be read: " + error.message());
  if (found != needed) {
    throw InputError(path, "has " + std::to_string(found) + " bytes where its header (" +
                               size_text(raster.GetRasterYSize(), raster.GetRasterXSize()) +
                               ") needs " + std::to_string(needed));
  }
}

GdalDataset open_element(const std::string& folder, const std::string& element) {
  const std::string path = (fs::path(folder) / (element + ".bin")).string();
  if (!is_there(path + ".hdr") && !is_there(fs::path(folder) / (element + ".hdr"))) {
    throw InputError(path, "has no ENVI header: neither " + element + ".bin.hdr nor " + element +
                               ".hdr is there");
  }
  GdalDataset raster = open_raster(path, "ENVI");
  check_raster(path, *raster);
  return raster;
}

/// Nothing where the file has none, or the dummy (origin 0, 0 and pixels of 1) that PolSARpro
/// writes.
std::optional<Georeference> georeference_of(GDALDataset& raster) {
  Georeference geo;
  const char* wkt = raster.GetProjectionRef();
  GdalErrors errors;
  if (wkt == nullptr || *wkt == '\0') return std::nullopt;
  if (raster.GetGeoTransform(geo.transform.data()) != CE_None) return std::nullopt;
  const auto& t = geo.transform;
  if (t[0] == 0 && t[3] == 0 && std::abs(t[1]) == 1 && std::abs(t[5]) == 1) return std::nullopt;
  geo.wkt = wkt;
  return geo;
}

class PolsarproScene final : public SceneSource {
 public:
  PolsarproScene(const std::string& folder, int rows, int cols);

  const SceneInfo& info() const override { return info_; }
  MatrixWindow read(const Window& window) override;
  std::int64_t bytes_read() const override { return bytes_read_; }

 private:
  void take_size(const std::string& source, int rows, int cols);
  void read_plane(GDALDataset& raster, const Window& window, float* plane);

  SceneInfo info_;
  std::string size_source_;
  std::vector<GdalDataset> elements_;
  GdalDataset mask_;
  std::int64_t bytes_read_ = 0;
};

PolsarproScene::PolsarproScene(const std::string& folder, int rows, int cols) {
  info_.path = folder;
  info_.format = "PolSARpro T3";
  check_elements(folder);
  for (const auto element : kT3Elements) {
    GdalDataset raster = open_element(folder, std::string(element));
    take_size(std::string(element) + ".bin", raster->GetRasterYSize(), raster->GetRasterXSize());
    if (!info_.georeference.present()) {
      info_.georeference = georeference_of(*raster).value_or(Georeference{});
    }
    elements_.push_back(std::move(raster));
  }
  if (is_there(fs::path(folder) / (std::string(kMask) + ".bin"))) {
    mask_ = open_element(folder, kMask);
    take_size(std::string(kMask) + ".bin", mask_->GetRasterYSize(), mask_->GetRasterXSize());
  }
  if (const auto size = read_polsarpro_config(folder)) {
    take_size("config.txt", size->rows, size->cols);
  }
  if (rows != 0 || cols != 0) {
    take_size("scene.rows, scene.cols", rows == 0 ? info_.rows : rows,
              cols == 0 ? info_.cols : cols);
  }
}

void PolsarproScene::take_size(const std::string& source, int rows, int cols) {
  if (size_source_.empty()) {
    size_source_ = source;
    info_.rows = rows;
    info_.cols = cols;
  }
  if (rows == info_.rows && cols == info_.cols) return;
  throw InputError(info_.path, source + " says " + size_text(rows, cols) + " where " +
                                   size_source_ + " has " + size_text(info_.rows, info_.cols));
}

MatrixWindow PolsarproScene::read(const Window& window) {
  MatrixWindow out;
  out.rows = window.rows;
  out.cols = window.cols;
  out.planes.resize(kT3Elements.size() * out.pixels());
  out.valid.assign(out.pixels(), 1);
  if (mask_) {
    std::vector<float> mask(out.pixels());
    read_plane(*mask_, window, mask.data());
    std::transform(mask.begin(), mask.end(), out.valid.begin(),
                   [](float m) { return static_cast<std::uint8_t>(m > 0.0F); });
  }
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    read_plane(*elements_[e], window, out.plane(e));
  }
  audit(out);
  return out;
}

void PolsarproScene::read_plane(GDALDataset& raster, const Window& window, float* plane) {
  GdalErrors errors;
  const CPLErr result = raster.GetRasterBand(1)->RasterIO(
      GF_Read, window.col, window.row, window.cols, window.rows, plane, window.cols, window.rows,
      GDT_Float32, 0, 0, nullptr);
  if (result != CE_None) {
    throw Error(raster.GetDescription(), "cannot be read: " + errors.text());
  }
  bytes_read_ += std::int64_t{4} * window.rows * window.cols;
}

}  // namespace

std::unique_ptr<SceneSource> open_polsarpro(const std::string& folder, int rows, int cols) {
  return std::make_unique<PolsarproScene>(folder, rows, cols);
}

}  // namespace oida
