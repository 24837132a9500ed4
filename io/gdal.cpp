#include "io/gdal.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include <unistd.h>

#include "core/error.hpp"
#include "io/files.hpp"

namespace oida {
namespace {

constexpr GIntBig kBlockCacheBytes = GIntBig{16} << 20;
constexpr GIntBig kMostCacheBytes = GIntBig{256} << 20;

void keep_error(CPLErr level, CPLErrorNum, const char* message) {
  static_cast<GdalErrors*>(CPLGetErrorHandlerUserData())->keep(level, message);
}

}  // namespace

GdalErrors::GdalErrors() {
  CPLPushErrorHandlerEx(keep_error, this);
}

GdalErrors::~GdalErrors() {
  CPLPopErrorHandler();
}

void GdalErrors::keep(CPLErr level, const char* message) {
  if (level < CE_Failure || !text_.empty()) return;
  text_ = message;
  std::replace(text_.begin(), text_.end(), '\n', ' ');
}

void start_gdal() {
  static std::once_flag once;
  std::call_once(once, [] {
    GDALAllRegister();
    GDALSetCacheMax64(kBlockCacheBytes);
  });
}

void widen_gdal_cache(std::int64_t bytes) {
  start_gdal();
  GDALSetCacheMax64(std::min(kMostCacheBytes, GDALGetCacheMax64() + bytes));
}

GdalDataset open_raster(const std::string& path, const char* driver) {
  start_gdal();
  GdalErrors errors;
  const std::array<const char*, 2> allowed{driver, nullptr};
  GdalDataset dataset(GDALDataset::FromHandle(GDALOpenEx(
      path.c_str(), GDAL_OF_RASTER | GDAL_OF_READONLY, allowed.data(), nullptr, nullptr)));
  if (!dataset) {
    const std::string why = errors.text().empty() ? "not in this format" : errors.text();
    throw InputError(path, std::string("cannot be opened as ") + driver + ": " + why);
  }
  return dataset;
}

GdalDataset memory_raster(int rows, int cols, int bands, std::span<const std::uint8_t> bytes) {
  start_gdal();
  GdalErrors errors;
  GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("MEM");
  GdalDataset raster(driver == nullptr ? nullptr
                                       : driver->Create("", cols, rows, bands, GDT_Byte, nullptr));
  // RasterIO takes a pointer to non-const also where it only reads.
  void* pixels = const_cast<std::uint8_t*>(bytes.data());
  if (!raster ||
      raster->RasterIO(GF_Write, 0, 0, cols, rows, pixels, cols, rows, GDT_Byte, bands, nullptr,
                       bands, static_cast<GSpacing>(bands) * cols, 1, nullptr) != CE_None) {
    throw Error("picture", "cannot be made in memory: " + errors.text());
  }
  return raster;
}

void write_png(const std::string& path, GDALDataset& raster) {
  start_gdal();
  GdalErrors errors;
  GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("PNG");
  if (driver == nullptr) throw Error(path, "this GDAL has no PNG driver");
  const std::string part = part_name(path);
  CPLSetThreadLocalConfigOption("GDAL_PAM_ENABLED", "NO");
  GdalDataset written(driver->CreateCopy(part.c_str(), &raster, FALSE, nullptr, nullptr, nullptr));
  const bool made = written != nullptr;
  written.reset();
  CPLSetThreadLocalConfigOption("GDAL_PAM_ENABLED", nullptr);
  if (!made || !errors.text().empty()) {
    ::unlink(part.c_str());
    throw Error(path, "cannot be written: " + errors.text());
  }
  publish(path);
}

std::string class_name_item(int id) {
  return "CLASS_" + std::to_string(id);
}

GDALColorTable colour_table(const ClassTable& classes) {
  GDALColorTable table;
  const GDALColorEntry black{0, 0, 0, 255};
  table.SetColorEntry(0, &black);
  for (int i = 0; i < classes.size(); ++i) {
    const Colour& c = classes.colours[static_cast<std::size_t>(i)];
    const GDALColorEntry entry{c[0], c[1], c[2], 255};
    table.SetColorEntry(i + 1, &entry);
  }
  return table;
}

}  // namespace oida
