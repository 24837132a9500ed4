#include <cmath>
#include <filesystem>

#include "io/gdal.hpp"
#include "io/raster_writer.hpp"
#include "io/scene/labels.hpp"
#include "io/testing.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

constexpr int kRows = 300;
constexpr int kCols = 520;

SceneInfo scene() {
  SceneInfo info;
  info.rows = kRows;
  info.cols = kCols;
  return info;
}

std::uint8_t class_at(int row, int col) {
  return static_cast<std::uint8_t>((row / 7 + col / 5) % 4);
}

Bytes classes_of(const Window& w) {
  Bytes out;
  for (int row = w.row; row < w.row + w.rows; ++row) {
    for (int col = w.col; col < w.col + w.cols; ++col) out.push_back(class_at(row, col));
  }
  return out;
}

/// Windows that cut tiles, in an order that is none.
void write_all(ClassMapWriter& map) {
  for (const int row : {200, 0, 100}) {
    for (const int col : {260, 0}) {
      const Window window{row, col, 100, 260};
      map.write(window, classes_of(window));
    }
  }
}

class ClassMap : public ::testing::Test {
 protected:
  std::string path() const { return temp_ / "map.tif"; }
  void write(const SceneInfo& info) const {
    ClassMapWriter map(path(), info, testing::three_classes());
    write_all(map);
    map.close();
  }
  testing::TempFolder temp_;
};

TEST_F(ClassMap, is_a_tiled_compressed_tiff_with_colours_and_names) {
  write(scene());
  const GdalDataset map = open_raster(path(), "GTiff");
  GDALRasterBand& band = *map->GetRasterBand(1);
  int block_rows = 0, block_cols = 0;
  band.GetBlockSize(&block_cols, &block_rows);
  EXPECT_EQ(block_rows, 256);
  EXPECT_EQ(block_cols, 256);
  EXPECT_STREQ(map->GetMetadataItem("COMPRESSION", "IMAGE_STRUCTURE"), "DEFLATE");
  EXPECT_EQ(band.GetRasterDataType(), GDT_Byte);
  EXPECT_EQ(band.GetNoDataValue(), 0);
  const GDALColorEntry* orange = band.GetColorTable()->GetColorEntry(2);
  EXPECT_EQ(orange->c1, 255);
  EXPECT_EQ(orange->c2, 128);
  EXPECT_EQ(orange->c3, 0);
  ASSERT_EQ(CSLCount(band.GetCategoryNames()), 4);
  EXPECT_STREQ(band.GetCategoryNames()[2], "Stem beans");
  EXPECT_STREQ(band.GetMetadataItem("CLASS_3"), "Wheat 2");
  EXPECT_STREQ(map->GetProjectionRef(), "");
  EXPECT_EQ(testing::files_in(temp_.path()),
            (std::vector<std::string>{"map.tif", "map.tif.aux.xml"}));
}

TEST_F(ClassMap, holds_what_was_written_in_any_order) {
  write(scene());
  const GdalDataset map = open_raster(path(), "GTiff");
  Bytes read(std::size_t{kRows} * kCols);
  ASSERT_EQ(map->GetRasterBand(1)->RasterIO(GF_Read, 0, 0, kCols, kRows, read.data(), kCols, kRows,
                                            GDT_Byte, 0, 0, nullptr),
            CE_None);
  EXPECT_EQ(read, classes_of({0, 0, kRows, kCols}));
}

TEST_F(ClassMap, lies_where_the_scene_lies) {
  SceneInfo info = scene();
  info.georeference.transform = {500000, 12, 0, 5000000, 0, -12};
  info.georeference.wkt =
      "GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.257223563]],"
      "PRIMEM[\"Greenwich\",0],UNIT[\"degree\",0.0174532925199433]]";
  write(info);
  const GdalDataset map = open_raster(path(), "GTiff");
  std::array<double, 6> transform{};
  ASSERT_EQ(map->GetGeoTransform(transform.data()), CE_None);
  EXPECT_EQ(transform, info.georeference.transform);
  EXPECT_NE(std::string(map->GetProjectionRef()).find("WGS 84"), std::string::npos);
}

TEST_F(ClassMap, can_be_read_as_labels_and_keeps_its_names_without_its_side_file) {
  write(scene());
  fs::remove(path() + ".aux.xml");
  const LabelRaster labels = read_labels(path(), kRows, kCols);
  EXPECT_EQ(labels.ids, classes_of({0, 0, kRows, kCols}));
  EXPECT_EQ(labels.names.at(1), "Water");
  EXPECT_EQ(labels.colours.at(3), (Colour{10, 200, 30}));
}

TEST_F(ClassMap, that_is_not_closed_leaves_nothing) {
  testing::write_text(path(), "an older map");
  {
    ClassMapWriter map(path(), scene(), testing::three_classes());
    write_all(map);
  }
  EXPECT_EQ(testing::read_text(path()), "an older map");
  EXPECT_EQ(testing::files_in(temp_.path()), std::vector<std::string>{"map.tif"});
}

TEST_F(ClassMap, refuses_what_does_not_fit) {
  ClassMapWriter map(path(), scene(), testing::three_classes());
  testing::expect_error([&] { map.write({kRows - 1, 0, 2, 1}, Bytes(2)); }, {"map.tif", "fit"});
  testing::expect_error([&] { map.write({0, 0, 2, 2}, Bytes(3)); }, {"map.tif", "fit"});
  testing::expect_error([&] { map.write({0, 0, 1, 1}, Bytes{4}); }, {"map.tif", "fit"});
}

TEST_F(ClassMap, names_the_file_that_cannot_be_made) {
  testing::expect_error(
      [&] { ClassMapWriter map(temp_ / "none/map.tif", scene(), testing::three_classes()); },
      {"none/map.tif", "cannot be made"});
}

TEST_F(ClassMap, names_the_file_that_finds_no_room) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  fs::create_symlink("/dev/full", path() + ".part");
  testing::expect_error([&] { write(scene()); }, {"map.tif"});
  EXPECT_FALSE(fs::exists(path()));
}

std::vector<float> numbers_of(const Window& w) {
  std::vector<float> out;
  for (int row = w.row; row < w.row + w.rows; ++row) {
    for (int col = w.col; col < w.col + w.cols; ++col) {
      out.push_back(static_cast<float>(row) + 0.25F);
      out.push_back(row == 3 ? NAN : static_cast<float>(col));
    }
  }
  return out;
}

TEST_F(ClassMap, of_numbers_has_named_bands_and_no_side_file) {
  FloatMapWriter map(path(), scene(), {"Water", "Stem beans"});
  for (const int row : {200, 0, 100}) {
    const Window window{row, 0, 100, kCols};
    map.write(window, numbers_of(window));
  }
  testing::expect_error([&] { map.write({0, 0, 1, 1}, std::vector<float>(3)); }, {"fit"});
  testing::expect_error([&] { map.write({0, kCols, 1, 1}, std::vector<float>(2)); }, {"fit"});
  FloatMapWriter other(temp_ / "other.tif", scene(), {"Water"});
  map.close();
  const GdalDataset read = open_raster(path(), "GTiff");
  ASSERT_EQ(read->GetRasterCount(), 2);
  EXPECT_STREQ(read->GetRasterBand(2)->GetDescription(), "Stem beans");
  EXPECT_EQ(read->GetRasterBand(1)->GetRasterDataType(), GDT_Float32);
  EXPECT_TRUE(std::isnan(read->GetRasterBand(1)->GetNoDataValue()));
  std::vector<float> values(std::size_t{kRows} * kCols * 2);
  ASSERT_EQ(read->RasterIO(GF_Read, 0, 0, kCols, kRows, values.data(), kCols, kRows, GDT_Float32, 2,
                           nullptr, 8, 8 * kCols, 4, nullptr),
            CE_None);
  const auto wanted = numbers_of({0, 0, kRows, kCols});
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_TRUE(values[i] == wanted[i] || (std::isnan(values[i]) && std::isnan(wanted[i]))) << i;
  }
  EXPECT_EQ(testing::files_in(temp_.path()),
            (std::vector<std::string>{"map.tif", "other.tif.part"}));
}

}  // namespace
}  // namespace oida
