#include "io/scene/envi_plane.hpp"

#include <cstdlib>

#include "core/error.hpp"
#include "io/gdal.hpp"
#include "io/georeference.hpp"

namespace oida {
namespace {

RawType raw_type(const std::string& path, GDALDataset& raster) {
  const int bands = raster.GetRasterCount();
  const GDALDataType type = bands == 0 ? GDT_Unknown : raster.GetRasterBand(1)->GetRasterDataType();
  if (bands == 1 && type == GDT_Float32) return RawType::float32;
  if (bands == 1 && type == GDT_CFloat32) return RawType::complex_float32;
  if (bands == 1 && type == GDT_Int16) return RawType::int16;
  if (bands == 1 && type == GDT_CInt16) return RawType::complex_int16;
  if (bands == 1 && type == GDT_Byte) return RawType::uint8;
  throw InputError(path, "header says " + std::to_string(bands) + " band(s) of " +
                             GDALGetDataTypeName(type) +
                             "; allowed is one band of Float32 (data type = 4), CFloat32 (6), "
                             "Int16 (2) or Byte (1)");
}

std::uint64_t header_number(GDALDataset& raster, const char* key) {
  const char* text = raster.GetMetadataItem(key, "ENVI");
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

}  // namespace

EnviRaster read_envi_header(const std::string& path) {
  const GdalDataset raster = open_raster(path, "ENVI");
  EnviRaster out;
  out.shape.type = raw_type(path, *raster);
  out.shape.rows = raster->GetRasterYSize();
  out.shape.cols = raster->GetRasterXSize();
  out.shape.big_endian = header_number(*raster, "byte_order") != 0;
  out.shape.offset = header_number(*raster, "header_offset");
  out.georeference = georeference_of(*raster);
  return out;
}

}  // namespace oida
