#include "io/scene/labels.hpp"

#include <filesystem>
#include <map>

#include "io/gdal.hpp"
#include "io/georeference.hpp"
#include "io/testing.hpp"

namespace oida {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// Pixel-interleaved colours of named letters: k black, w white, r, g, b.
Bytes painted(const std::string& letters) {
  const std::map<char, Colour> colours{{'k', {0, 0, 0}},
                                       {'w', {255, 255, 255}},
                                       {'r', {255, 0, 0}},
                                       {'g', {0, 255, 0}},
                                       {'b', {0, 0, 255}}};
  Bytes out;
  for (const char letter : letters) {
    const Colour& c = colours.at(letter);
    out.insert(out.end(), c.begin(), c.end());
  }
  return out;
}

LabelRaster through_png(int rows, int cols, int bands, const Bytes& bytes) {
  testing::TempFolder temp;
  const std::string path = temp / "labels.PNG";
  write_png(path, *memory_raster(rows, cols, bands, bytes));
  return read_labels(path, rows, cols);
}

TEST(Labels, of_a_grey_picture_are_its_values) {
  const Bytes ids{0, 1, 200, 254, 7, 0};
  const LabelRaster read = through_png(2, 3, 1, ids);
  EXPECT_EQ(read.ids, ids);
  EXPECT_TRUE(read.colours.empty());
}

TEST(Labels, of_a_grey_picture_end_at_254) {
  testing::TempFolder temp;
  write_png(temp / "a.png", *memory_raster(1, 2, 1, Bytes{1, 255}));
  testing::expect_refusal([&] { read_labels(temp / "a.png", 1, 2); }, {"a.png", "255", "254"});
}

TEST(Labels, of_a_colour_picture_are_numbered_by_first_appearance) {
  const LabelRaster read = through_png(3, 4, 3,
                                       painted("kgkk"
                                               "krbk"
                                               "kgrk"));
  EXPECT_EQ(read.ids, (Bytes{0, 1, 0, 0, 0, 2, 3, 0, 0, 1, 2, 0}));
  EXPECT_EQ(read.colours.at(1), (Colour{0, 255, 0}));
  EXPECT_EQ(read.colours.at(2), (Colour{255, 0, 0}));
  EXPECT_EQ(read.colours.at(3), (Colour{0, 0, 255}));
}

TEST(Labels, take_the_more_frequent_of_black_and_white_on_the_rim_for_none) {
  // Black is more frequent in the whole, white on the rim.
  const LabelRaster white = through_png(4, 4, 3,
                                        painted("wwwg"
                                                "wkkw"
                                                "wkkk"
                                                "kkww"));
  EXPECT_EQ(white.ids, (Bytes{0, 0, 0, 1, 0, 2, 2, 0, 0, 2, 2, 2, 2, 2, 0, 0}));
  const LabelRaster black = through_png(3, 3, 3,
                                        painted("kkw"
                                                "kwk"
                                                "kkk"));
  EXPECT_EQ(black.ids, (Bytes{0, 0, 1, 0, 1, 0, 0, 0, 0}));
  const LabelRaster neither = through_png(1, 2, 3, painted("rg"));
  EXPECT_EQ(neither.ids, (Bytes{1, 2}));
}

TEST(Labels, with_too_many_colours_are_refused) {
  testing::TempFolder temp;
  Bytes bytes;
  for (int i = 0; i < 300; ++i) {
    bytes.insert(bytes.end(), {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i / 2), 9});
  }
  write_png(temp / "photo.png", *memory_raster(1, 300, 3, bytes));
  testing::expect_refusal([&] { read_labels(temp / "photo.png", 1, 300); },
                          {"photo.png", "254 colours"});
}

TEST(Labels, of_another_size_are_refused_and_a_transposed_file_is_called_so) {
  testing::TempFolder temp;
  write_png(temp / "a.png", *memory_raster(2, 3, 1, Bytes(6)));
  testing::expect_refusal([&] { read_labels(temp / "a.png", 3, 2); },
                          {"2 rows x 3 cols", "3 rows x 2 cols", "transposed"});
  const std::string text = testing::expect_refusal([&] { read_labels(temp / "a.png", 4, 2); },
                                                   {"2 rows x 3 cols", "4 rows x 2 cols"});
  EXPECT_EQ(text.find("transposed"), std::string::npos);
}

TEST(Labels, that_cannot_be_read_are_refused_by_name) {
  testing::TempFolder temp;
  testing::write_text(temp / "a.png", "no picture");
  testing::write_text(temp / "a.tif", "no picture");
  testing::write_text(temp / "a.txt", "1 2 3");
  testing::expect_refusal([&] { read_labels(temp / "none.png", 1, 1); }, {"does not exist"});
  testing::expect_refusal([&] { read_labels(temp.path(), 1, 1); }, {"is not a file"});
  testing::expect_refusal([&] { read_labels(temp / "a.png", 1, 1); }, {"a.png", "PNG"});
  testing::expect_refusal([&] { read_labels(temp / "a.tif", 1, 1); }, {"a.tif", "GTiff"});
  testing::expect_refusal([&] { read_labels(temp / "a.txt", 1, 1); }, {".mat, .png, .tif"});
}

TEST(Labels, that_are_truncated_are_refused) {
  testing::TempFolder temp;
  Bytes noise(128 * 128);
  std::uint32_t state = 1;
  for (auto& id : noise)
    id = static_cast<std::uint8_t>((state = state * 1664525U + 1013904223U) >> 25);
  write_png(temp / "a.png", *memory_raster(128, 128, 1, noise));
  std::filesystem::resize_file(temp / "a.png", 6000);
  testing::expect_refusal([&] { read_labels(temp / "a.png", 128, 128); }, {"a.png"});
}

/// A GeoTIFF of one band, made by GDAL itself.
void write_tiff(const std::string& path, int rows, int cols, std::vector<float> values,
                const std::function<void(GDALRasterBand&)>& dress) {
  start_gdal();
  GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("GTiff");
  GdalDataset tiff(driver->Create(path.c_str(), cols, rows, 1, GDT_Float32, nullptr));
  dress(*tiff->GetRasterBand(1));
  ASSERT_EQ(tiff->GetRasterBand(1)->RasterIO(GF_Write, 0, 0, cols, rows, values.data(), cols, rows,
                                             GDT_Float32, 0, 0, nullptr),
            CE_None);
}

TEST(Labels, of_a_tiff_bring_their_names_and_no_data_is_zero) {
  testing::TempFolder temp;
  write_tiff(temp / "a.tif", 1, 4, {1, 2, 9999, 0}, [](GDALRasterBand& band) {
    CPLStringList names;
    names.AddString("none").AddString("Water").AddString("").AddString("never seen");
    band.SetCategoryNames(names.List());
    band.SetNoDataValue(9999);
  });
  const LabelRaster read = read_labels(temp / "a.tif", 1, 4);
  EXPECT_EQ(read.ids, (Bytes{1, 2, 0, 0}));
  EXPECT_EQ(read.names, (std::map<int, std::string>{{0, "none"}, {1, "Water"}}));
}

TEST(Labels, of_an_envi_classification_bring_names_and_colours) {
  testing::TempFolder temp;
  testing::write_text(temp / "classes.dat", std::string("\0\1\2\2\1\0", 6));
  testing::write_text(
      temp / "classes.hdr",
      "ENVI\nsamples = 3\nlines = 2\nbands = 1\nheader offset = 0\nfile type = ENVI "
      "Classification\ndata type = 1\ninterleave = bsq\nbyte order = 0\nclasses = "
      "3\nclass lookup = {0,0,0, 0,0,255, 0,128,0}\nclass names = {none, Water, "
      "Forest}\n");
  const LabelRaster read = read_labels(temp / "classes.dat", 2, 3);
  EXPECT_EQ(read.ids, (Bytes{0, 1, 2, 2, 1, 0}));
  EXPECT_EQ(read.names.at(1), "Water");
  EXPECT_EQ(read.names.at(2), "Forest");
  EXPECT_EQ(read.colours.at(2), (Colour{0, 128, 0}));
}

/// Pixels of 10 m from (500000, 4000040) in UTM 31 N, 4 rows and 6 columns.
SceneInfo utm_scene() {
  SceneInfo scene;
  scene.path = "scene";
  scene.rows = 4;
  scene.cols = 6;
  scene.georeference.wkt = wkt_of_epsg(32631);
  scene.georeference.transform = {500000, 10, 0, 4000040, 0, -10};
  return scene;
}

std::string square(const std::string& attributes, int left, int bottom, int right, int top) {
  const auto corner = [](int x, int y) {
    return "[" + std::to_string(x) + "," + std::to_string(y) + "]";
  };
  return "{\"type\":\"Feature\",\"properties\":{" + attributes +
         "},\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[" + corner(left, bottom) + "," +
         corner(right, bottom) + "," + corner(right, top) + "," + corner(left, top) + "," +
         corner(left, bottom) + "]]}}";
}

void write_polygons(const std::string& path, const std::vector<std::string>& features) {
  std::string all;
  for (const auto& feature : features) all += (all.empty() ? "" : ",") + feature;
  testing::write_text(path,
                      "{\"type\":\"FeatureCollection\",\"crs\":{\"type\":\"name\",\"properties\":"
                      "{\"name\":\"urn:ogc:def:crs:EPSG::32631\"}},\"features\":[" +
                          all + "]}");
}

// Two columns of wheat on the left, the lower right corner is water; one polygon has no word.
TEST(Labels, of_polygons_are_drawn_onto_the_scene_by_their_attribute) {
  testing::TempFolder temp;
  write_polygons(temp / "fields.geojson",
                 {square("\"crop\":\"wheat\",\"id\":7", 500000, 4000000, 500020, 4000040),
                  square("\"crop\":\"open 'water'\",\"id\":3", 500040, 4000000, 500060, 4000020),
                  square("\"crop\":null,\"id\":null", 500020, 4000020, 500040, 4000040)});
  const LabelRaster words = read_labels(temp / "fields.geojson", utm_scene(), "crop");
  EXPECT_EQ(words.ids, (Bytes{2, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0,  //
                              2, 2, 0, 0, 1, 1, 2, 2, 0, 0, 1, 1}));
  EXPECT_EQ(words.names, (std::map<int, std::string>{{1, "open 'water'"}, {2, "wheat"}}));
  const LabelRaster numbers = read_labels(temp / "fields.geojson", utm_scene(), "id");
  EXPECT_EQ(numbers.ids, (Bytes{7, 7, 0, 0, 0, 0, 7, 7, 0, 0, 0, 0,  //
                                7, 7, 0, 0, 3, 3, 7, 7, 0, 0, 3, 3}));
}

TEST(Labels, of_polygons_ask_for_a_georeference_an_attribute_and_a_place_on_the_scene) {
  testing::TempFolder temp;
  const std::string path = temp / "fields.geojson";
  write_polygons(path, {square("\"crop\":\"wheat\"", 500000, 4000000, 500020, 4000040)});
  testing::expect_refusal([&] { read_labels(path, utm_scene()); }, {"'class'", "crop"});
  SceneInfo nowhere = utm_scene();
  nowhere.georeference.wkt = "";
  testing::expect_refusal([&] { read_labels(path, nowhere, "crop"); }, {path, "georeference"});
  SceneInfo far = utm_scene();
  far.georeference.transform[0] = 700000;
  testing::expect_refusal([&] { read_labels(path, far, "crop"); }, {"no polygon on the scene"});
  testing::write_text(path, "{}");
  testing::expect_refusal([&] { read_labels(path, utm_scene(), "crop"); }, {path});
}

TEST(Labels, that_are_no_whole_numbers_are_refused) {
  testing::TempFolder temp;
  write_tiff(temp / "a.tif", 1, 2, {1, 2.5F}, [](GDALRasterBand&) {});
  testing::expect_refusal([&] { read_labels(temp / "a.tif", 1, 2); }, {"a.tif", "2.5"});
  write_tiff(temp / "b.tif", 1, 2, {1, -1}, [](GDALRasterBand&) {});
  testing::expect_refusal([&] { read_labels(temp / "b.tif", 1, 2); }, {"b.tif", "-1"});
}

}  // namespace
}  // namespace oida
