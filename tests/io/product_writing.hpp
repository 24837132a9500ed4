#pragma once
// Pieces of satellite products as their layouts have them, without the room under test.

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/gdal.hpp"

namespace oida::testing {

/// 2 rows of 3 pixels: band b, pixel i is start + 100 b + i.
inline void write_tiff(const std::string& path, GDALDataType type, int bands, double start) {
  start_gdal();
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("GTiff");
  GdalDataset file(driver->Create(path.c_str(), 3, 2, bands, type, nullptr));
  for (int band = 0; band < bands; ++band) {
    std::vector<double> values;
    for (int i = 0; i < 6; ++i) values.push_back(start + 100 * band + i);
    if (file->GetRasterBand(band + 1)->RasterIO(GF_Write, 0, 0, 3, 2, values.data(), 3, 2,
                                                GDT_Float64, 0, 0, nullptr) != CE_None) {
      throw std::runtime_error(path + " cannot be written");
    }
  }
}

inline std::string tag(const std::string& name, const std::string& content) {
  return "<" + name + ">" + content + "</" + name + ">";
}

}  // namespace oida::testing
