#include "io/report/picture.hpp"

#include <cmath>
#include <filesystem>
#include <limits>

#include "io/gdal.hpp"
#include "io/raster_writer.hpp"
#include "io/report/font.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/testing.hpp"

namespace oida {
namespace {

/// A picture read back by GDAL.
struct Read {
  int rows = 0, cols = 0;
  std::array<std::vector<std::uint8_t>, 3> bands;

  explicit Read(const std::string& path) {
    const GdalDataset png = open_raster(path, "PNG");
    rows = png->GetRasterYSize();
    cols = png->GetRasterXSize();
    for (int b = 0; b < 3; ++b) {
      auto& band = bands[static_cast<std::size_t>(b)];
      band.resize(static_cast<std::size_t>(rows * cols));
      EXPECT_EQ(png->GetRasterBand(b + 1)->RasterIO(GF_Read, 0, 0, cols, rows, band.data(), cols,
                                                    rows, GDT_Byte, 0, 0, nullptr),
                CE_None);
    }
  }
  Colour at(int row, int col) const {
    const auto i = static_cast<std::size_t>(row * cols + col);
    return {bands[0][i], bands[1][i], bands[2][i]};
  }
};

class Pictures : public ::testing::Test {
 protected:
  std::string path() const { return temp_ / "picture.png"; }
  testing::TempFolder temp_;
};

TEST_F(Pictures, of_classes_have_the_colours_of_the_table) {
  std::vector<std::uint8_t> ids(500 * 600);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::uint8_t>(i % 600 / 150);
  write_class_png(path(), 500, 600, ids, testing::three_classes());
  const Read read(path());
  EXPECT_EQ(read.cols, 600);
  EXPECT_GT(read.rows, 500 + kTextRows);  // the legend
  EXPECT_EQ(read.at(250, 10), (Colour{0, 0, 0}));
  EXPECT_EQ(read.at(250, 160), (Colour{0, 0, 255}));
  EXPECT_EQ(read.at(499, 449), (Colour{255, 128, 0}));
  EXPECT_EQ(read.at(0, 599), (Colour{10, 200, 30}));
}

TEST_F(Pictures, keep_to_their_longest_side) {
  write_class_png(path(), 900, 2100, std::vector<std::uint8_t>(900 * 2100, 1),
                  testing::three_classes(), 1000);
  EXPECT_EQ(Read(path()).cols, 700);  // 2100 / 3
}

TEST_F(Pictures, of_small_maps_are_enlarged) {
  write_class_png(path(), 20, 30, std::vector<std::uint8_t>(600, 2), testing::three_classes());
  const Read read(path());
  EXPECT_EQ(read.cols, 30 * 13);
  EXPECT_EQ(read.at(20 * 13 - 1, 30 * 13 - 1), (Colour{255, 128, 0}));
}

TEST_F(Pictures, of_unknown_classes_are_refused) {
  const std::vector<std::uint8_t> ids{0, 4};
  testing::expect_error([&] { write_class_png(path(), 1, 2, ids, testing::three_classes()); },
                        {"picture.png"});
  testing::expect_error([&] { write_class_png(path(), 2, 2, ids, testing::three_classes()); },
                        {"picture.png"});
}

TEST_F(Pictures, name_the_file_that_cannot_be_written) {
  testing::expect_error(
      [&] {
        write_class_png(temp_ / "none/a.png", 1, 1, std::vector<std::uint8_t>{1},
                        testing::three_classes());
      },
      {"none/a.png"});
}

/// One plane with a value a pixel, the others constant.
class Ramp final : public SceneSource {
 public:
  Ramp(std::size_t element, int rows, int cols) : element_(element) {
    info_.rows = rows;
    info_.cols = cols;
  }
  const SceneInfo& info() const override { return info_; }
  std::int64_t bytes_read() const override { return 0; }
  MatrixWindow read(const Window& w) override {
    MatrixWindow out;
    out.rows = w.rows;
    out.cols = w.cols;
    out.planes.assign(9 * out.pixels(), 1.0F);
    out.valid.assign(out.pixels(), 1);
    for (std::size_t i = 0; i < out.pixels(); ++i) {
      // In dB, a ramp of a quarter a column.
      const auto col = static_cast<double>(i % static_cast<std::size_t>(w.cols));
      out.plane(element_)[i] = static_cast<float>(std::pow(10.0, col / 40));
    }
    out.valid[0] = 0;
    return out;
  }

 private:
  SceneInfo info_;
  std::size_t element_;
};

TEST_F(Pictures, of_a_scene_show_t22_red_t33_green_t11_blue) {
  const std::array<std::size_t, 3> elements{5, 8, 0};
  for (std::size_t channel = 0; channel < 3; ++channel) {
    Ramp scene(elements[channel], 400, 401);
    write_pauli_png(path(), scene);
    const Read read(path());
    ASSERT_EQ(read.cols, 401);
    ASSERT_EQ(read.rows, 400);
    EXPECT_EQ(read.at(0, 0), (Colour{0, 0, 0})) << "not valid";
    for (std::size_t c = 0; c < 3; ++c) {
      if (c == channel) continue;
      EXPECT_EQ(read.at(9, 9)[c], read.at(9, 390)[c]) << "constant";
    }
    // 2nd and 98th percentile of a ramp of 401 values: 8 and 392.
    EXPECT_EQ(read.at(9, 8)[channel], 0);
    EXPECT_NEAR(read.at(9, 200)[channel], 127.5, 1);
    EXPECT_GE(read.at(9, 391)[channel], 254);
    EXPECT_EQ(read.at(9, 400)[channel], 255);
  }
}

TEST_F(Pictures, of_a_large_scene_are_block_means) {
  Ramp scene(0, 130, 402);
  write_pauli_png(path(), scene, 201);
  const Read read(path());
  EXPECT_EQ(read.cols, 201);
  EXPECT_EQ(read.rows, 65);
  EXPECT_EQ(read.at(64, 200)[2], 255);
}

TEST(Font, has_a_glyph_of_its_own_for_every_character) {
  for (char a = '!'; a <= '~'; ++a) {
    EXPECT_NE(glyph(a), glyph(' ')) << a;
    for (char b = '!'; b < a; ++b) EXPECT_NE(glyph(a), glyph(b)) << a << b;
  }
  EXPECT_EQ(glyph('\x7f'), glyph('?'));
}

TEST(Font, counts_characters_of_utf8) {
  EXPECT_EQ(text_cols("Zuckerr\xc3\xbc"
                      "be"),
            text_cols("Zuckerruebe") - text_cols("x"));
}

TEST(PicturesReal, of_flevoland) {
  OIDA_SAMPLE_OR_SKIP(folder, "flevoland_airsar_15cls/T3");
  testing::TempFolder temp;
  const auto scene = open_scene(folder);
  write_pauli_png(temp / "pauli.png", *scene);
  const Read read(temp / "pauli.png");
  EXPECT_EQ(read.rows, 750);
  for (std::size_t c = 0; c < 3; ++c) {
    double sum = 0;
    for (const std::uint8_t value : read.bands[c]) sum += value;
    EXPECT_NEAR(sum / static_cast<double>(read.bands[c].size()), 128, 50) << "well exposed";
  }
}

}  // namespace
}  // namespace oida
