#include "io/geotiff_out.hpp"

#include <array>
#include <filesystem>

#include <unistd.h>

#include "core/error.hpp"
#include "io/files.hpp"

namespace oida {
namespace {

constexpr const char* kPam = ".aux.xml";

CPLStringList creation_options() {
  CPLStringList options;
  options.SetNameValue("TILED", "YES");
  options.SetNameValue("BLOCKXSIZE", "256");
  options.SetNameValue("BLOCKYSIZE", "256");
  options.SetNameValue("COMPRESS", "DEFLATE");
  options.SetNameValue("BIGTIFF", "IF_SAFER");
  return options;
}

}  // namespace

GeoTiffOut::GeoTiffOut(const std::string& path, const SceneInfo& scene, int bands,
                       GDALDataType type)
    : path_(path) {
  start_gdal();
  GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("GTiff");
  check(driver != nullptr, "this GDAL has no GTiff driver");
  file_.reset(driver->Create(part_name(path).c_str(), scene.cols, scene.rows, bands, type,
                             creation_options().List()));
  check(file_ != nullptr, "cannot be made");
  if (!scene.georeference.present()) return;
  std::array<double, 6> transform = scene.georeference.transform;
  check(file_->SetGeoTransform(transform.data()) == CE_None &&
            file_->SetProjection(scene.georeference.wkt.c_str()) == CE_None,
        "cannot be given its place");
}

GeoTiffOut::~GeoTiffOut() {
  if (!file_) return;
  file_.reset();
  ::unlink(part_name(path_).c_str());
  ::unlink((part_name(path_) + kPam).c_str());
}

void GeoTiffOut::check(bool good, const std::string& what) const {
  if (good && errors_.text().empty()) return;
  throw Error(path_, what + (errors_.text().empty() ? "" : ": " + errors_.text()));
}

void GeoTiffOut::write(const Window& window, const void* pixels) {
  const bool fits = window.row >= 0 && window.col >= 0 && window.rows >= 0 && window.cols >= 0 &&
                    window.row + window.rows <= file_->GetRasterYSize() &&
                    window.col + window.cols <= file_->GetRasterXSize();
  check(fits, "a window does not fit the map");
  if (window.rows == 0 || window.cols == 0) return;
  const int bands = file_->GetRasterCount();
  const GDALDataType type = file_->GetRasterBand(1)->GetRasterDataType();
  const GSpacing value = GDALGetDataTypeSizeBytes(type);
  // RasterIO takes a pointer to non-const also where it only reads.
  const CPLErr result =
      file_->RasterIO(GF_Write, window.col, window.row, window.cols, window.rows,
                      const_cast<void*>(pixels), window.cols, window.rows, type, bands, nullptr,
                      value * bands, value * bands * window.cols, value, nullptr);
  check(result == CE_None, "cannot be written");
}

void GeoTiffOut::close() {
  file_->FlushCache(false);
  check(true, "cannot be written");
  file_.reset();
  try {
    check(true, "cannot be closed");
    const std::string pam = path_ + kPam;
    if (std::filesystem::exists(part_name(path_) + kPam)) {
      std::filesystem::rename(part_name(path_) + kPam, part_name(pam));
      publish(pam);
    }
    publish(path_);
  } catch (const std::filesystem::filesystem_error& error) {
    ::unlink(part_name(path_).c_str());
    throw Error(path_, "cannot be renamed into place: " + error.code().message());
  }
}

}  // namespace oida
