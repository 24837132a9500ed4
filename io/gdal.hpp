#pragma once
// GDAL, made silent: its errors become oida::Error with their text.

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <gdal_priv.h>

#include "data/classes.hpp"

namespace oida {

/// While it lives, this thread's GDAL messages are kept instead of printed.
class GdalErrors {
 public:
  GdalErrors();
  ~GdalErrors();
  GdalErrors(const GdalErrors&) = delete;
  GdalErrors& operator=(const GdalErrors&) = delete;

  /// The first failure since construction on one line; empty when there was none.
  const std::string& text() const { return text_; }
  void keep(CPLErr level, const char* message);

 private:
  std::string text_;
};

struct GdalClose {
  void operator()(GDALDataset* dataset) const { GDALClose(dataset); }
};
using GdalDataset = std::unique_ptr<GDALDataset, GdalClose>;

/// Registers the drivers once and bounds GDAL's block cache, so that many ranks fit on a node.
void start_gdal();

/// Widens the block cache by `bytes`, to an upper limit.
void widen_gdal_cache(std::int64_t bytes);

/// Opens read-only with one forced driver. InputError naming `path`.
GdalDataset open_raster(const std::string& path, const char* driver);

/// A new raster in memory of `bands` byte bands, filled from pixel-interleaved `bytes`.
GdalDataset memory_raster(int rows, int cols, int bands, std::span<const std::uint8_t> bytes);

/// Writes `raster` as PNG: beside, synced, renamed. Error naming `path`.
void write_png(const std::string& path, GDALDataset& raster);

/// The metadata item of a band that names the class of an id: CLASS_1 and so on.
std::string class_name_item(int id);

/// Entry i is the colour of class i - 1, entry 0 is black.
GDALColorTable colour_table(const ClassTable& classes);

}  // namespace oida
