#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <vector>

#include "core/error.hpp"
#include "io/gdal.hpp"
#include "io/scene/labels_detail.hpp"

namespace oida {
namespace {

constexpr std::uint32_t kBlack = 0x000000;
constexpr std::uint32_t kWhite = 0xffffff;
constexpr std::uint32_t kNone = 0xff000000;  // no colour of a pixel
constexpr std::size_t kLargestId = 254;

/// Calls put(value, i) for every pixel i of a band, a few lines at a time: a label raster may be
/// half as large as memory.
template <typename T, typename Put>
void for_each_value(GDALRasterBand& band, const LabelRaster& out, GDALDataType type, Put put) {
  constexpr int kValues = 1 << 20;
  const int lines = std::max(1, kValues / out.cols);
  const auto cols = static_cast<std::size_t>(out.cols);
  std::vector<T> values(static_cast<std::size_t>(lines) * cols);
  GdalErrors errors;
  for (int row = 0; row < out.rows; row += lines) {
    const int rows = std::min(lines, out.rows - row);
    if (band.RasterIO(GF_Read, 0, row, out.cols, rows, values.data(), out.cols, rows, type, 0, 0,
                      nullptr) != CE_None) {
      throw InputError(out.path, "cannot be read: " + errors.text());
    }
    const std::size_t first = static_cast<std::size_t>(row) * cols;
    const std::size_t count = static_cast<std::size_t>(rows) * cols;
    for (std::size_t i = 0; i < count; ++i) put(values[i], first + i);
  }
}

/// Colours and names of the ids that occur.
void take_legend(GDALRasterBand& band, LabelRaster& out) {
  std::array<bool, 256> seen{};
  for (const std::uint8_t id : out.ids) seen[id] = true;
  const GDALColorTable* colours = band.GetColorTable();
  char** names = band.GetCategoryNames();
  const int named = CSLCount(names);
  for (int id = 0; id <= static_cast<int>(kLargestId); ++id) {
    if (!seen[static_cast<std::size_t>(id)]) continue;
    if (colours != nullptr && id < colours->GetColorEntryCount()) {
      const GDALColorEntry& c = *colours->GetColorEntry(id);
      out.colours[id] = {static_cast<std::uint8_t>(c.c1), static_cast<std::uint8_t>(c.c2),
                         static_cast<std::uint8_t>(c.c3)};
    }
    const char* name = id < named ? names[id] : band.GetMetadataItem(class_name_item(id).c_str());
    if (name != nullptr && *name != '\0') out.names[id] = name;
  }
}

/// One band of ids (grey or palette); the file's own "no data" value is id 0.
void take_ids(GDALDataset& raster, LabelRaster& out) {
  GDALRasterBand& band = *raster.GetRasterBand(1);
  int has_no_data = 0;
  const double no_data = band.GetNoDataValue(&has_no_data);
  for_each_value<double>(band, out, GDT_Float64, [&](double value, std::size_t i) {
    const bool none = has_no_data != 0 && value == no_data;
    out.ids[i] = none ? std::uint8_t{0} : label_id(out.path, value);
  });
  take_legend(band, out);
}

std::vector<std::uint32_t> read_colours(GDALDataset& raster, const LabelRaster& out) {
  std::vector<std::uint32_t> colours(out.ids.size());
  for (int b = 1; b <= 3; ++b) {
    if (raster.GetRasterBand(b)->GetRasterDataType() != GDT_Byte) {
      throw InputError(out.path, "has colours of more than 8 bits; allowed are 8 bits");
    }
    for_each_value<std::uint8_t>(
        *raster.GetRasterBand(b), out, GDT_Byte,
        [&](std::uint8_t value, std::size_t i) { colours[i] = (colours[i] << 8) | value; });
  }
  return colours;
}

/// Pure black or pure white, whichever is more frequent on the rim; kNone when neither is there.
std::uint32_t background(const std::vector<std::uint32_t>& colours, int rows, int cols) {
  std::map<std::uint32_t, std::int64_t> rim;
  const auto width = static_cast<std::size_t>(cols);
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const std::size_t row = i / width, col = i % width;
    const bool on_rim =
        row == 0 || row + 1 == static_cast<std::size_t>(rows) || col == 0 || col + 1 == width;
    if (on_rim) ++rim[colours[i]];
  }
  if (rim[kBlack] == 0 && rim[kWhite] == 0) return kNone;
  return rim[kBlack] >= rim[kWhite] ? kBlack : kWhite;
}

Colour split_colour(std::uint32_t c) {
  return {static_cast<std::uint8_t>(c >> 16), static_cast<std::uint8_t>(c >> 8),
          static_cast<std::uint8_t>(c)};
}

void number_colours(const std::vector<std::uint32_t>& colours, LabelRaster& out) {
  const std::uint32_t none = background(colours, out.rows, out.cols);
  std::unordered_map<std::uint32_t, std::uint8_t> ids{{none, std::uint8_t{0}}};
  if (none != kNone) out.colours[0] = split_colour(none);
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const auto [entry, is_new] = ids.try_emplace(colours[i], static_cast<std::uint8_t>(ids.size()));
    if (ids.size() > kLargestId + 1) {
      throw InputError(out.path, "has more than 254 colours: not a label picture");
    }
    out.ids[i] = entry->second;
    if (is_new) out.colours[entry->second] = split_colour(colours[i]);
  }
}

}  // namespace

LabelRaster read_raster_labels(const std::string& path, const char* driver, int rows, int cols) {
  const GdalDataset raster = open_raster(path, driver);
  check_label_size(path, static_cast<std::size_t>(raster->GetRasterYSize()),
                   static_cast<std::size_t>(raster->GetRasterXSize()), rows, cols);
  LabelRaster out;
  out.path = path;
  out.rows = rows;
  out.cols = cols;
  out.ids.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  const int bands = raster->GetRasterCount();
  if (bands <= 2) {  // a second band is transparency
    take_ids(*raster, out);
  } else if (bands <= 4) {
    number_colours(read_colours(*raster, out), out);
  } else {
    throw InputError(path, "has " + std::to_string(bands) + " bands; allowed are 1 to 4");
  }
  return out;
}

}  // namespace oida
