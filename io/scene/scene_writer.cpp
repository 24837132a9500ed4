#include "io/scene/scene_writer.hpp"

#include <bit>
#include <filesystem>
#include <system_error>

#include "core/error.hpp"
#include "io/files.hpp"
#include "io/gdal.hpp"
#include "io/scene/polsarpro_config.hpp"
#include "polsar/matrix.hpp"

namespace oida {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are written as they lie");

std::string envi_header(const std::string& element, int rows, int cols) {
  return "ENVI\ndescription = {\n" + element + "}\nsamples = " + std::to_string(cols) +
         "\nlines   = " + std::to_string(rows) +
         "\nbands   = 1\nheader offset = 0\nfile type = ENVI Standard\ndata type = 4\n"
         "interleave = bsq\nbyte order = 0\nband names = {\n" +
         element + ".bin }\n";
}

void check_size(const std::string& path, int rows, int cols, std::size_t planes,
                std::size_t values) {
  if (rows < 1 || cols < 1 ||
      values != planes * static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols)) {
    throw Error(path, std::to_string(values) + " values are not " + std::to_string(planes) +
                          " plane(s) of " + std::to_string(rows) + " x " + std::to_string(cols));
  }
}

}  // namespace

void write_t3_folder(const std::string& folder, int rows, int cols, std::span<const float> planes) {
  check_size(folder, rows, cols, kT3Elements.size(), planes.size());
  make_folder(folder);
  const std::string config = folder + "/config.txt";
  std::error_code error;
  std::filesystem::remove(config, error);
  if (error) throw Error(config, "cannot be replaced: " + error.message());
  const std::size_t pixels = planes.size() / kT3Elements.size();
  for (std::size_t e = 0; e < kT3Elements.size(); ++e) {
    const std::string element(kT3Elements[e]);
    const auto bytes = std::as_bytes(planes.subspan(e * pixels, pixels));
    write_whole_file(folder + "/" + element + ".bin",
                     {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    write_whole_file(folder + "/" + element + ".bin.hdr", envi_header(element, rows, cols));
  }
  write_whole_file(config, polsarpro_config({rows, cols}));
}

void write_label_png(const std::string& path, int rows, int cols, std::span<const std::uint8_t> ids,
                     const ClassTable& classes) {
  check_size(path, rows, cols, 1, ids.size());
  GdalDataset raster = memory_raster(rows, cols, 1, ids);
  GDALColorTable table = colour_table(classes);
  GdalErrors errors;
  if (raster->GetRasterBand(1)->SetColorTable(&table) != CE_None) {
    throw Error(path, "colours cannot be set: " + errors.text());
  }
  write_png(path, *raster);
}

}  // namespace oida
