// Every kind of PolSARpro folder, and files without headers.

#include <bit>
#include <cmath>
#include <filesystem>

#include "io/gdal.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/testing.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;
using Floats = std::vector<float>;

constexpr int kRows = 4;
constexpr int kCols = 3;
constexpr std::size_t kPixels = 12;

/// Files of a kind as PolSARpro's documentation lists them.
std::vector<std::string> square(char letter, int order) {
  std::vector<std::string> names;
  for (int i = 1; i <= order; ++i) {
    for (int j = i; j <= order; ++j) {
      const std::string name = letter + std::to_string(i) + std::to_string(j);
      if (i == j) names.push_back(name);
      if (i != j) names.insert(names.end(), {name + "_real", name + "_imag"});
    }
  }
  return names;
}

/// Values that no other element or pixel has, positive on diagonals.
float value(std::size_t e, std::size_t i) {
  return testing::small_value(e, i);
}

void write_raw(const std::string& folder, const std::vector<std::string>& names) {
  for (std::size_t e = 0; e < names.size(); ++e) {
    Floats plane(kPixels);
    for (std::size_t i = 0; i < kPixels; ++i) plane[i] = value(e, i);
    testing::write_floats(folder + "/" + names[e] + ".bin", plane);
  }
}

void write_headers(const std::string& folder, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    testing::write_text(folder + "/" + name + ".bin.hdr", testing::small_header());
  }
}

void write_s2(const std::string& folder, bool headers) {
  const std::vector<std::string> names{"s11", "s12", "s21", "s22"};
  std::string header = testing::small_header();
  header.replace(header.find("data type = 4"), 13, "data type = 6");
  for (std::size_t e = 0; e < names.size(); ++e) {
    Floats plane;
    for (std::size_t i = 0; i < kPixels; ++i) {
      plane.insert(plane.end(), {value(2 * e, i), -value(2 * e + 1, i)});
    }
    testing::write_floats(folder + "/" + names[e] + ".bin", plane);
    if (headers) testing::write_text(folder + "/" + names[e] + ".bin.hdr", header);
  }
}

void expect_values(SceneSource& scene, std::size_t count, bool negative_odd = false) {
  const Window w{1, 1, 3, 2};
  const MatrixWindow read = scene.read(w);
  ASSERT_EQ(read.planes.size(), count * 6);
  EXPECT_EQ(read.kind, scene.info().kind);
  for (std::size_t e = 0; e < count; ++e) {
    for (std::size_t i = 0; i < 6; ++i) {
      const float wanted = value(e, (1 + i / 2) * kCols + 1 + i % 2);
      EXPECT_EQ(read.plane(e)[i], negative_odd && e % 2 == 1 ? -wanted : wanted) << e << ' ' << i;
    }
  }
}

struct Kind {
  const char* format;
  MatrixKind kind;
  char letter;
  int order;
};

class SquareKinds : public ::testing::TestWithParam<Kind> {
 protected:
  testing::TempFolder temp_;
};

TEST_P(SquareKinds, are_found_by_content_with_and_without_headers) {
  const auto names = square(GetParam().letter, GetParam().order);
  write_raw(temp_.path(), names);
  testing::write_text(temp_ / "config.txt", "Nrow\n4\n---------\nNcol\n3\n---------\n");
  for (const bool headers : {false, true}) {
    if (headers) write_headers(temp_.path(), names);
    const auto scene = open_scene(temp_.path());
    EXPECT_EQ(scene->info().format, GetParam().format);
    EXPECT_EQ(scene->info().kind, GetParam().kind);
    EXPECT_EQ(scene->info().rows, kRows);
    expect_values(*scene, names.size());
  }
}

INSTANTIATE_TEST_SUITE_P(PolSarPro, SquareKinds,
                         ::testing::Values(Kind{"PolSARpro C2", MatrixKind::c2, 'C', 2},
                                           Kind{"PolSARpro C3", MatrixKind::c3, 'C', 3},
                                           Kind{"PolSARpro T3", MatrixKind::t3, 'T', 3},
                                           Kind{"PolSARpro C4", MatrixKind::c4, 'C', 4},
                                           Kind{"PolSARpro T4", MatrixKind::t4, 'T', 4}),
                         [](const auto& kind) { return kind.param.format + 10; });

TEST(ScatteringMatrix, is_four_complex_files) {
  testing::TempFolder temp;
  write_s2(temp.path(), true);
  const auto scene = open_scene(temp.path());
  EXPECT_EQ(scene->info().kind, MatrixKind::s2);
  expect_values(*scene, 8, true);
  EXPECT_EQ(scene->bytes_read(), 4 * 8 * 6);
}

TEST(ScatteringMatrix, without_headers_has_half_as_many_pixels_in_its_bytes) {
  testing::TempFolder temp;
  write_s2(temp.path(), false);
  testing::expect_refusal([&] { open_scene(temp.path(), {"auto", 8, 3}); }, {"96 bytes", "192"});
  expect_values(*open_scene(temp.path(), {"auto", 4, 3}), 8, true);
}

TEST(ScatteringMatrix, of_real_files_is_refused) {
  testing::TempFolder temp;
  write_raw(temp.path(), {"s11", "s12", "s21", "s22"});
  write_headers(temp.path(), {"s11", "s12", "s21", "s22"});
  testing::expect_refusal([&] { open_scene(temp.path()); }, {"s11.bin", "Float32", "CFloat32"});
}

TEST(PairOfChannels, is_what_the_config_says_unless_the_deck_says_otherwise) {
  testing::TempFolder temp;
  write_raw(temp.path(), square('C', 2));
  const std::string config =
      "Nrow\n4\n---------\nNcol\n3\n---------\nPolarCase\nmonostatic\n"
      "---------\nPolarType\n";
  for (const auto& [type, pair] :
       {std::pair{"pp1", ChannelPair::pp1}, {"pp2", ChannelPair::pp2}, {"pp3", ChannelPair::pp3}}) {
    testing::write_text(temp / "config.txt", config + type + "\r\n");
    const auto scene = open_scene(temp.path());
    EXPECT_EQ(scene->info().pair, pair);
    EXPECT_EQ(scene->read({0, 0, 1, 1}).pair, pair);
    ASSERT_EQ(scene->info().notes.size(), 1U);
    EXPECT_NE(scene->info().notes[0].find(type), std::string::npos);
  }
  const auto scene = open_scene(temp.path(), {"auto", 0, 0, ChannelPair::rh_rv});
  EXPECT_EQ(scene->info().pair, ChannelPair::rh_rv);
  EXPECT_TRUE(scene->info().notes.empty());
}

void write_bmp(const std::string& path, int rows, int cols) {
  const std::vector<std::uint8_t> bytes(static_cast<std::size_t>(rows * cols));
  const GdalDataset raster = memory_raster(rows, cols, 1, bytes);
  GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("BMP");
  GDALClose(driver->CreateCopy(path.c_str(), raster.get(), FALSE, nullptr, nullptr, nullptr));
}

TEST(Headerless, takes_the_size_from_a_quicklook_of_as_many_pixels) {
  testing::TempFolder temp;
  write_raw(temp.path(), square('T', 3));
  write_bmp(temp / "a_reduced.bmp", 2, 2);
  testing::expect_refusal([&] { open_scene(temp.path()); }, {"quicklook", "scene.rows"});
  write_bmp(temp / "b.bmp", kRows, kCols);
  testing::write_text(temp / "c.bmp", "BM no picture");
  expect_values(*open_scene(temp.path()), 9);
  write_bmp(temp / "d.bmp", kCols, kRows);
  testing::expect_refusal([&] { open_scene(temp.path()); }, {"b.bmp", "d.bmp", "scene.rows"});
  expect_values(*open_scene(temp.path(), {"auto", kRows, kCols}), 9);
}

TEST(Headerless, flevoland_has_the_size_of_its_picture) {
  OIDA_SAMPLE_OR_SKIP(folder, "flevoland_headerless_haalpha");
  const auto scene = open_scene(folder);
  EXPECT_EQ(scene->info().rows, 128);
  EXPECT_EQ(scene->info().cols, 256);
  const Floats t33 = testing::read_floats(folder + "/T33.bin");
  const MatrixWindow read = scene->read({100, 50, 2, 200});
  EXPECT_EQ(Floats(read.plane(8) + 200, read.plane(8) + 400),
            Floats(t33.begin() + 101 * 256 + 50, t33.begin() + 101 * 256 + 250));
}

TEST(KindsReal, paired_folders_hold_what_their_readme_says) {
  OIDA_SAMPLE_OR_SKIP(folder, "quadpol_paired_matrices");
  const Window all{0, 0, 201, 101};
  const MatrixWindow c3 = open_scene(folder + "/C3")->read(all);
  const MatrixWindow c2 = open_scene(folder + "/C2_VVVH")->read(all);
  const MatrixWindow t3 = open_scene(folder + "/T3")->read(all);
  EXPECT_EQ(open_scene(folder + "/C3")->info().kind, MatrixKind::c3);
  for (std::size_t i = 0; i < c3.pixels(); i += 7) {
    EXPECT_NEAR(c2.plane(3)[i], c3.plane(5)[i] / 2, 1e-6F * c3.plane(5)[i]) << "C22";
    EXPECT_NEAR(c2.plane(1)[i], c3.plane(1)[i] / std::sqrt(2.0F), 1e-6F) << "C12_real";
    EXPECT_NEAR(t3.plane(8)[i], c3.plane(5)[i], 1e-6F * c3.plane(5)[i]) << "T33 = C22";
  }
}

}  // namespace
}  // namespace oida
