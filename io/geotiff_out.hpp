#pragma once
// A GeoTIFF in the making: tiled, compressed, where the scene lies, whole or not there.

#include <string>

#include "data/scene_source.hpp"
#include "io/gdal.hpp"

namespace oida {

class GeoTiffOut {
 public:
  /// As large as the scene. Error naming `path`, here and in all members.
  GeoTiffOut(const std::string& path, const SceneInfo& scene, int bands, GDALDataType type);
  ~GeoTiffOut();  // one that was not closed is removed
  GeoTiffOut(const GeoTiffOut&) = delete;
  GeoTiffOut& operator=(const GeoTiffOut&) = delete;

  /// From 1 up.
  GDALRasterBand& band(int number) { return *file_->GetRasterBand(number); }
  /// Error with `what`, and GDAL's words, unless all is good.
  void check(bool good, const std::string& what) const;
  /// [window.rows, window.cols, bands] of the file's type.
  void write(const Window& window, const void* pixels);
  /// Syncs and renames into place, with GDAL's file beside it where there is one.
  void close();

 private:
  std::string path_;
  GdalErrors errors_;
  GdalDataset file_;
};

}  // namespace oida
