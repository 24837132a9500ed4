#include "io/scene/scene_reader.hpp"

#include <bit>
#include <filesystem>
#include <limits>

#include "io/testing.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;
using testing::small_value;
using testing::TempFolder;

/// The window of a raw plane, picked out by hand.
std::vector<float> picked(const std::vector<float>& plane, int cols, const Window& w) {
  std::vector<float> out;
  for (int row = w.row; row < w.row + w.rows; ++row) {
    for (int col = w.col; col < w.col + w.cols; ++col) {
      out.push_back(plane[static_cast<std::size_t>(row * cols + col)]);
    }
  }
  return out;
}

void expect_window_as_in_files(SceneSource& scene, const std::string& folder, const Window& w) {
  const MatrixWindow read = scene.read(w);
  ASSERT_EQ(read.rows, w.rows);
  ASSERT_EQ(read.cols, w.cols);
  for (std::size_t e = 0; e < kT3Elements.size(); ++e) {
    const auto plane = testing::read_floats(folder + "/" + std::string(kT3Elements[e]) + ".bin");
    const std::vector<float> mine(read.plane(e), read.plane(e) + read.pixels());
    EXPECT_EQ(mine, picked(plane, scene.info().cols, w)) << kT3Elements[e];
  }
}

TEST(SceneReader, reads_windows_of_flevoland_as_they_lie_in_the_files) {
  OIDA_SAMPLE_OR_SKIP(folder, "flevoland_airsar_15cls/T3");
  const auto scene = open_scene(folder);
  EXPECT_EQ(scene->info().format, "PolSARpro T3");
  EXPECT_EQ(scene->info().rows, 750);
  EXPECT_EQ(scene->info().cols, 1024);
  expect_window_as_in_files(*scene, folder, {0, 0, 3, 1024});
  expect_window_as_in_files(*scene, folder, {700, 1000, 50, 24});
  EXPECT_EQ(scene->bytes_read(), 9 * 4 * (3 * 1024 + 50 * 24));
}

TEST(SceneReader, takes_the_dummy_map_info_for_none) {
  OIDA_SAMPLE_OR_SKIP(folder, "flevoland_airsar_15cls/T3");
  EXPECT_FALSE(open_scene(folder)->info().georeference.present());
}

TEST(SceneReader, finds_the_real_georeference_among_dummies) {
  OIDA_SAMPLE_OR_SKIP(folder, "quadpol_paired_matrices/T3");
  const auto scene = open_scene(folder);
  const Georeference& geo = scene->info().georeference;
  ASSERT_TRUE(geo.present());
  EXPECT_NE(geo.wkt.find("GEOGCS"), std::string::npos) << geo.wkt;
  // As T11.bin.hdr says: tie point (1, 1) at 98.1456 W 49.7552 N, pixels of 1e-4 degrees.
  EXPECT_DOUBLE_EQ(geo.transform[0], -98.1456);
  EXPECT_DOUBLE_EQ(geo.transform[3], 49.7552);
  EXPECT_NEAR(geo.transform[1], 1e-4, 1e-12);
  EXPECT_NEAR(geo.transform[5], -1e-4, 1e-12);
}

TEST(SceneReader, finds_the_georeference_of_a_later_element) {
  TempFolder temp;
  testing::write_small_scene(temp.path());
  testing::write_text(temp / "T11.bin.hdr",
                      testing::small_header("map info = {UTM,1,1,0.0,0.0,1.0,1.0,30,North}\n"));
  testing::write_text(temp / "T33.bin.hdr",
                      testing::small_header(
                          "map info = {UTM, 1, 1, 500000, 5000000, 12, 12, 31, North, WGS-84}\n"));
  const Georeference geo = open_scene(temp.path())->info().georeference;
  ASSERT_TRUE(geo.present());
  EXPECT_DOUBLE_EQ(geo.transform[0], 500000);
  EXPECT_DOUBLE_EQ(geo.transform[1], 12);
}

TEST(SceneReader, accepts_headers_named_without_bin_and_no_config) {
  TempFolder temp;
  testing::write_small_scene(temp.path());
  for (const auto element : kT3Elements) {
    const std::string stem = temp / std::string(element);
    fs::rename(stem + ".bin.hdr", stem + ".hdr");
  }
  fs::remove(temp / "config.txt");
  const auto scene = open_scene(temp.path());
  expect_window_as_in_files(*scene, temp.path(), {1, 1, 3, 2});
}

TEST(SceneReader, honours_the_byte_order_of_the_header) {
  TempFolder temp;
  testing::write_small_scene(temp.path());
  auto plane = testing::read_floats(temp / "T22.bin");
  for (float& value : plane) {
    value = std::bit_cast<float>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
  }
  testing::write_floats(temp / "T22.bin", plane);
  std::string header = testing::small_header();
  header.replace(header.find("byte order = 0"), 14, "byte order = 1");
  testing::write_text(temp / "T22.bin.hdr", header);
  const MatrixWindow read = open_scene(temp.path())->read({0, 0, 4, 3});
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(read.plane(5)[i], small_value(5, i));
}

TEST(SceneReader, is_not_misled_by_bytes_that_look_like_another_format) {
  TempFolder temp;
  testing::write_small_scene(temp.path());
  std::string bytes = testing::read_text(temp / "T11.bin");
  bytes.replace(0, 8, "\x89PNG\r\n\x1a\n");
  testing::write_text(temp / "T11.bin", bytes);
  expect_window_as_in_files(*open_scene(temp.path()), temp.path(), {0, 1, 4, 2});
}

TEST(SceneReader, honours_the_mask) {
  TempFolder temp;
  testing::write_small_scene(temp.path());
  std::vector<float> mask(12, 1.0F);
  mask[4] = 0.0F;
  mask[11] = std::numeric_limits<float>::quiet_NaN();
  testing::write_floats(temp / "mask_valid_pixels.bin", mask);
  testing::write_text(temp / "mask_valid_pixels.bin.hdr", testing::small_header());
  const MatrixWindow read = open_scene(temp.path())->read({1, 0, 3, 3});
  EXPECT_EQ(read.valid, (std::vector<std::uint8_t>{1, 0, 1, 1, 1, 1, 1, 1, 0}));
}

TEST(SceneReader, audits_every_window) {
  TempFolder temp;
  testing::write_small_scene(temp.path());
  auto plane = testing::read_floats(temp / "T13_imag.bin");
  plane[7] = std::numeric_limits<float>::infinity();
  testing::write_floats(temp / "T13_imag.bin", plane);
  const MatrixWindow read = open_scene(temp.path())->read({2, 0, 1, 3});
  EXPECT_EQ(read.valid, (std::vector<std::uint8_t>{1, 0, 1}));
}

}  // namespace
}  // namespace oida
