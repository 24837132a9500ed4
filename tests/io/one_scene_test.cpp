// One Flevoland scene as T3, C3, GeoTIFF stack, big-endian BEAM-DIMAP, NetCDF-BEAM and cache gives
// the same features. The other forms are written here, without the readers.

#include <bit>
#include <cmath>
#include <filesystem>

#include "io/gdal.hpp"
#include "io/h5_writing.hpp"
#include "io/scene/scene_cache.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/testing.hpp"
#include "polsar/features.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;
using Floats = std::vector<float>;

constexpr int kRows = 96;
constexpr int kCols = 1024;
constexpr std::size_t kPixels = std::size_t{kRows} * kCols;
const std::vector<std::string> kT3{"T11", "T12_real", "T12_imag", "T13_real", "T13_imag",
                                   "T22", "T23_real", "T23_imag", "T33"};

std::string c_name(std::string name) {
  name[0] = 'C';
  return name;
}

/// C3 = A T3 A*, element by element (Lee and Pottier 2009, eq. 3.41 solved for C).
std::vector<Floats> covariance(const std::vector<Floats>& t) {
  std::vector<Floats> c(9, Floats(kPixels));
  const double root = std::sqrt(2.0);
  for (std::size_t i = 0; i < kPixels; ++i) {
    const auto v = [&](std::size_t e) { return static_cast<double>(t[e][i]); };
    const auto put = [&](std::size_t e, double value) { c[e][i] = static_cast<float>(value); };
    put(0, (v(0) + v(5) + 2 * v(1)) / 2);
    put(1, (v(3) + v(6)) / root);
    put(2, (v(4) + v(7)) / root);
    put(3, (v(0) - v(5)) / 2);
    put(4, -v(2));
    put(5, v(8));
    put(6, (v(3) - v(6)) / root);
    put(7, -(v(4) - v(7)) / root);
    put(8, (v(0) + v(5) - 2 * v(1)) / 2);
  }
  return c;
}

std::string header(int byte_order) {
  return "ENVI\nsamples = 1024\nlines = 96\nbands = 1\nheader offset = 0\nfile type = ENVI "
         "Standard\ndata type = 4\ninterleave = bsq\nbyte order = " +
         std::to_string(byte_order) + "\n";
}

Floats swapped(Floats plane) {
  for (float& value : plane) {
    value = std::bit_cast<float>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
  }
  return plane;
}

class OneScene : public ::testing::Test {
 protected:
  /// The first rows of the real scene.
  bool prepare() {
    const std::string folder = testing::sample("flevoland_airsar_15cls/T3");
    if (folder.empty()) return false;
    for (const auto& name : kT3) {
      Floats plane = testing::read_floats(folder + "/" + name + ".bin");
      plane.resize(kPixels);
      t3_.push_back(plane);
      testing::write_floats(temp_ / ("T3/" + name + ".bin"), plane);
      testing::write_text(temp_ / ("T3/" + name + ".bin.hdr"), header(0));
    }
    return true;
  }

  FeatureWindow features(const std::string& path) const {
    return make_features(open_scene(path)->read({0, 0, kRows, kCols}), FeatureRecipe{}, {});
  }

  void expect_same(const std::string& path, float tolerance) const {
    const FeatureWindow mine = features(path), wanted = features(temp_ / "T3");
    ASSERT_EQ(mine.values.size(), wanted.values.size());
    EXPECT_EQ(mine.valid, wanted.valid);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < mine.values.size(); ++i) {
      wrong += !(std::abs(mine.values[i] - wanted.values[i]) <= tolerance);
    }
    EXPECT_EQ(wrong, 0U) << path;
  }

  testing::TempFolder temp_;
  std::vector<Floats> t3_;
};

#define OIDA_PREPARE_OR_SKIP \
  if (!prepare()) GTEST_SKIP() << "OIDA_DATA_DIR is not set: real scenes are not read"

TEST_F(OneScene, as_big_endian_dimap_is_bitwise_the_same) {
  OIDA_PREPARE_OR_SKIP;
  testing::write_text(temp_ / "s.dim", "<Dimap_Document/>");
  for (std::size_t e = 0; e < 9; ++e) {
    testing::write_floats(temp_ / ("s.data/" + kT3[e] + ".img"), swapped(t3_[e]));
    testing::write_text(temp_ / ("s.data/" + kT3[e] + ".hdr"), header(1));
  }
  EXPECT_EQ(open_scene(temp_ / "s.dim")->info().format, "BEAM-DIMAP T3");
  expect_same(temp_ / "s.dim", 0);
  expect_same(temp_ / "s.data", 0);
}

TEST_F(OneScene, as_geotiff_stack_and_folder_is_bitwise_the_same) {
  OIDA_PREPARE_OR_SKIP;
  start_gdal();
  GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("GTiff");
  fs::create_directory(temp_ / "tif");
  GdalDataset stack(
      driver->Create((temp_ / "stack.tif").c_str(), kCols, kRows, 9, GDT_Float32, nullptr));
  for (int e = 0; e < 9; ++e) {
    // Bands in another order than a T3's.
    const std::size_t element = static_cast<std::size_t>(8 - e);
    GDALRasterBand& band = *stack->GetRasterBand(e + 1);
    band.SetDescription(kT3[element].c_str());
    ASSERT_EQ(band.RasterIO(GF_Write, 0, 0, kCols, kRows, t3_[element].data(), kCols, kRows,
                            GDT_Float32, 0, 0, nullptr),
              CE_None);
    const std::string file = temp_ / ("tif/" + kT3[element] + ".tif");
    GdalDataset single(driver->Create(file.c_str(), kCols, kRows, 1, GDT_Float32, nullptr));
    ASSERT_EQ(single->GetRasterBand(1)->RasterIO(GF_Write, 0, 0, kCols, kRows, t3_[element].data(),
                                                 kCols, kRows, GDT_Float32, 0, 0, nullptr),
              CE_None);
  }
  stack.reset();
  expect_same(temp_ / "stack.tif", 0);
  expect_same(temp_ / "tif", 0);
}

TEST_F(OneScene, as_netcdf_beam_is_bitwise_the_same) {
  OIDA_PREPARE_OR_SKIP;
  {
    testing::H5Writer file(temp_ / "s.nc");
    for (std::size_t e = 0; e < 9; ++e) file.real("/" + kT3[e], kRows, kCols, t3_[e]);
  }
  EXPECT_EQ(open_scene(temp_ / "s.nc")->info().format, "NetCDF-BEAM T3");
  expect_same(temp_ / "s.nc", 0);
}

TEST_F(OneScene, as_c3_is_the_same_to_1e_5) {
  OIDA_PREPARE_OR_SKIP;
  // A matrix that is not positive semi-definite has powers of the other kind below zero; the
  // smallest powers lose digits in the difference of large ones: both are lifted here.
  for (std::size_t i = 0; i < kPixels; ++i) {
    const float span = std::abs(t3_[0][i]) + std::abs(t3_[5][i]) + std::abs(t3_[8][i]);
    for (const std::size_t e : {0U, 5U, 8U}) t3_[e][i] = std::abs(t3_[e][i]) + 0.1F * span;
  }
  for (std::size_t e = 0; e < 9; ++e) {
    testing::write_floats(temp_ / ("T3/" + kT3[e] + ".bin"), t3_[e]);
  }
  const auto c3 = covariance(t3_);
  for (std::size_t e = 0; e < 9; ++e) {
    testing::write_floats(temp_ / ("C3/" + c_name(kT3[e]) + ".bin"), c3[e]);
    testing::write_text(temp_ / ("C3/" + c_name(kT3[e]) + ".bin.hdr"), header(0));
  }
  expect_same(temp_ / "C3", 1e-5F);
}

TEST_F(OneScene, as_cache_is_bitwise_the_same_and_made_once) {
  OIDA_PREPARE_OR_SKIP;
  const auto scene = open_scene(temp_ / "T3");
  const std::string file = scene_cache_file(temp_ / "cache", scene->info());
  make_scene_cache(file, *scene);
  const auto time = fs::last_write_time(file);
  make_scene_cache(file, *scene);
  EXPECT_EQ(fs::last_write_time(file), time);
  EXPECT_EQ(testing::files_in(temp_ / "cache").size(), 1U);
  EXPECT_EQ(open_scene(file)->info().format, "PolSARpro T3");
  expect_same(file, 0);
}

TEST_F(OneScene, that_changed_gets_another_cache) {
  OIDA_PREPARE_OR_SKIP;
  const SceneInfo info = open_scene(temp_ / "T3")->info();
  const std::string before = scene_cache_file(temp_ / "cache", info);
  EXPECT_EQ(scene_cache_file(temp_ / "cache", info), before);
  const fs::path element = temp_ / "T3/T22.bin";
  fs::last_write_time(element, fs::last_write_time(element) + std::chrono::seconds(1));
  EXPECT_NE(scene_cache_file(temp_ / "cache", info), before);
}

TEST_F(OneScene, in_a_cache_with_a_damaged_chunk_is_refused) {
  OIDA_PREPARE_OR_SKIP;
  const auto scene = open_scene(temp_ / "T3");
  const std::string file = temp_ / "cache.h5";
  make_scene_cache(file, *scene);
  std::string bytes = testing::read_text(file);
  const float value = t3_[0][0];
  const auto at = bytes.find(std::string(reinterpret_cast<const char*>(&value), sizeof value));
  ASSERT_NE(at, std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  testing::write_text(file, bytes);
  testing::expect_refusal([&] { open_scene(file)->read({0, 0, 1, 1}); }, {"T11", "damaged"});
}

}  // namespace
}  // namespace oida
