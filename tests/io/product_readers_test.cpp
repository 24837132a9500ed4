// Products of satellites with a file a polarisation. Their files are written here from the
// published layouts, without the readers.

#include <cmath>
#include <complex>
#include <filesystem>

#include "io/h5_writing.hpp"
#include "io/product_writing.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/testing.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;
using Complex = std::complex<double>;
using testing::tag;
using testing::write_tiff;

constexpr int kRows = 2, kCols = 3;
constexpr std::size_t kPixels = 6;
const std::vector<std::string> kAll{"HH", "HV", "VH", "VV"};

void expect_amplitude(const MatrixWindow& read, std::size_t channel, std::size_t pixel,
                      Complex wanted) {
  const double tolerance = 2e-6 * std::abs(wanted);
  EXPECT_NEAR(read.plane(2 * channel)[pixel], wanted.real(), tolerance) << channel << ' ' << pixel;
  EXPECT_NEAR(read.plane(2 * channel + 1)[pixel], wanted.imag(), tolerance)
      << channel << ' ' << pixel;
}

std::string by_polarisation(const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < kAll.size(); ++i) text += tag(kAll[i], values[i]);
  return text;
}

// S = DN x QualifyValue / 32767 / sqrt(10^(K/10)).
TEST(Gaofen3, is_scaled_by_qualify_value_and_constant_of_each_polarisation) {
  testing::TempFolder temp;
  const std::string meta =
      "<?xml version=\"1.0\"?><product>" +
      tag("imageinfo", tag("QualifyValue", by_polarisation({"100.5", "50", "51", "101"}))) +
      tag("processinfo", tag("CalibrationConst", by_polarisation({"10", "20", "20", "NULL"}))) +
      "</product>";
  testing::write_text(temp / "GF3_MYN_QPSI_000001_AHV_L10000000001.meta.xml", meta);
  for (std::size_t c = 0; c < 4; ++c) {
    write_tiff(temp / ("GF3_MYN_QPSI_000001_" + kAll[c] + "_L1A_" + kAll[c] + "_L10000000001.tiff"),
               GDT_Int16, 2, 1000.0 * static_cast<double>(c + 1));
  }
  const auto scene = open_scene(temp.path());
  EXPECT_EQ(scene->info().format, "GF-3 L1A");
  EXPECT_EQ(scene->info().kind, MatrixKind::s2);
  ASSERT_EQ(scene->info().notes.size(), 1U);
  EXPECT_NE(scene->info().notes[0].find("VV"), std::string::npos);
  const MatrixWindow read = scene->read({0, 0, kRows, kCols});
  const std::array<double, 4> most{100.5, 50, 51, 101}, constant{10, 20, 20, 0};
  for (std::size_t c = 0; c < 4; ++c) {
    const double scale = most[c] / 32767 / std::sqrt(std::pow(10, constant[c] / 10));
    const double first = 1000.0 * static_cast<double>(c + 1) + 4;
    expect_amplitude(read, c, 4, scale * Complex(first, first + 100));
  }
  testing::write_text(temp / "GF3_MYN_QPSI_000001_AHV_L10000000001.meta.xml",
                      "<product>" + tag("QualifyValue", tag("HH", "1")) + "</product>");
  testing::expect_refusal([&] { open_scene(temp.path()); }, {"QualifyValue", "HV"});
}

// Gains at columns 2 and 0, in this order; column 1 lies between them.
TEST(Rcm, is_divided_by_the_gain_of_its_column) {
  testing::TempFolder temp;
  testing::write_text(temp / "p/metadata/product.xml",
                      "<product xmlns=\"rcmGsProductSchema\">" +
                          tag("imageGenerationParameters", tag("productType", "SLC")) +
                          "</product>");
  for (const std::string name : {"HH", "HV"}) {
    const bool hh = name == "HH";
    write_tiff(temp / ("p/imagery/RCM1_OK1_PK1_1_QP8_20200101_000000_" + name + "_SLC.tif"),
               GDT_Int16, 2, hh ? 40 : 10);
    testing::write_text(temp / ("p/metadata/calibration/lutSigma_" + name + ".xml"),
                        "<lut xmlns=\"rcmGsProductSchema\">" + tag("pixelFirstLutValue", "2") +
                            tag("stepSize", "-2") + tag("numberOfValues", "2") +
                            tag("offset", "0") + tag("gains", hh ? "8 2" : "4 16") + "</lut>");
  }
  for (const std::string& path : {temp / "p", temp / "p/metadata/product.xml"}) {
    const auto scene = open_scene(path);
    EXPECT_EQ(scene->info().pair, ChannelPair::pp1);
    const MatrixWindow read = scene->read({1, 0, 1, kCols});
    const std::array<double, 3> hh_gain{2, 5, 8}, hv_gain{16, 10, 4};
    for (std::size_t col = 0; col < 3; ++col) {
      const double at = 3 + static_cast<double>(col);
      const Complex hh = Complex(40 + at, 140 + at) / hh_gain[col];
      const Complex hv = Complex(10 + at, 110 + at) / hv_gain[col];
      EXPECT_NEAR(read.plane(0)[col], std::norm(hh), 1e-5 * std::norm(hh)) << col;
      EXPECT_NEAR(read.plane(3)[col], std::norm(hv), 1e-5 * std::norm(hv)) << col;
      EXPECT_NEAR(read.plane(1)[col], (hh * std::conj(hv)).real(), 1e-5 * std::norm(hh)) << col;
      EXPECT_NEAR(read.plane(2)[col], (hh * std::conj(hv)).imag(), 1e-5 * std::norm(hh)) << col;
    }
  }
  testing::write_text(
      temp / "p/metadata/product.xml",
      "<product xmlns=\"rcmGsProductSchema\">" + tag("productType", "GRD") + "</product>");
  testing::expect_refusal([&] { open_scene(temp / "p"); }, {"GRD", "SLC"});
}

TEST(Saocom, images_have_no_ending) {
  testing::TempFolder temp;
  const std::string name = "S1A_OPER_SAR_EOSSP__CORE_L1A_OLF_20200101T000000";
  testing::write_text(temp / (name + ".xemt"), "<Product/>");
  for (std::size_t c = 0; c < 4; ++c) {
    std::string small = kAll[c];
    for (char& letter : small) letter = static_cast<char>(letter + 'a' - 'A');
    const std::string image = name + "/Data/slc-acqId0000000001-a-sm9-2001010000-" + small + "-m";
    write_tiff(temp / image, GDT_CFloat32, 1, 10.0 * static_cast<double>(c + 1));
    testing::write_text(temp / (image + ".xml"), "<Raster/>");
  }
  const auto scene = open_scene(temp.path());
  EXPECT_EQ(scene->info().format, "SAOCOM L1A");
  const MatrixWindow read = scene->read({0, 0, kRows, kCols});
  for (std::size_t c = 0; c < 4; ++c) {
    expect_amplitude(read, c, 5, {10.0 * static_cast<double>(c + 1) + 5, 0});
  }
  EXPECT_EQ(open_scene(temp / (name + ".xemt"))->info().kind, MatrixKind::s2);
  for (const char* co : {"hh", "vv"}) {
    fs::remove(temp / (name + "/Data/slc-acqId0000000001-a-sm9-2001010000-" + co + "-m"));
  }
  testing::expect_refusal([&] { open_scene(temp.path()); }, {"HV, VH"});
}

// Bands VV, VH, HV, HH; the table has a node every second column and one row.
TEST(Biomass, bands_go_by_the_declared_order_and_the_table_is_interpolated) {
  testing::TempFolder temp;
  const std::string stem = "bio_s1_scs__1s_20170101t060309_20170101t060330_t_g01_m01_c01_t010_f001";
  const std::string product = temp / "BIO";
  write_tiff(product + "/measurement/" + stem + "_i_abs.tiff", GDT_Float32, 4, 2);
  write_tiff(product + "/measurement/" + stem + "_i_phase.tiff", GDT_Float32, 4, -3);
  {
    fs::create_directories(product + "/annotation");
    testing::H5Writer table(product + "/annotation/" + stem + "_lut.nc");
    table.real("/radiometry/sigmaNought", 1, 2, {2, 4});
  }
  std::string list;
  for (const char* name : {"VV", "VH", "HV", "HH"}) list += tag("polarisation", name);
  testing::write_text(product + "/annotation/" + stem + "_annot.xml",
                      "<mainAnnotation>" + tag("polarisationList", list) + "</mainAnnotation>");
  const auto scene = open_scene(product);
  EXPECT_EQ(scene->info().format, "BIOMASS L1a sigma nought");
  EXPECT_EQ(scene->info().kind, MatrixKind::s2);
  const MatrixWindow read = scene->read({1, 0, 1, kCols});
  // Column c lies at c x 2 / 3 between the two nodes, from the second on it stays.
  const std::array<double, 3> factor{2, 2 + 2 * 2.0 / 3, 4};
  for (std::size_t col = 0; col < 3; ++col) {
    const double at = 3 + static_cast<double>(col);
    for (std::size_t c = 0; c < 4; ++c) {
      const double band = 100.0 * (3 - static_cast<double>(c));
      expect_amplitude(read, c, col, std::polar((2 + band + at) * factor[col], -3 + band + at));
    }
  }
}

TEST(Biomass, no_data_is_not_valid) {
  testing::TempFolder temp;
  const std::string stem = temp / "measurement/bio";
  write_tiff(stem + "_i_abs.tiff", GDT_Float32, 2, -10002);  // -9999 at pixel 3 of band 1
  write_tiff(stem + "_i_phase.tiff", GDT_Float32, 2, 0);
  {
    fs::create_directories(temp / "annotation");
    testing::H5Writer table(temp / "annotation/bio_lut.nc");
    table.real("/radiometry/sigmaNought", 1, 1, {1});
  }
  testing::write_text(temp / "annotation/bio_annot.xml",
                      tag("a", tag("polarisationList", tag("p", "HH") + tag("p", "HV"))));
  const MatrixWindow read = open_scene(temp.path())->read({0, 0, kRows, kCols});
  EXPECT_EQ(read.valid, (std::vector<std::uint8_t>{1, 1, 1, 0, 1, 1}));
}

TEST(Sentinel1, detected_images_are_powers_without_phase) {
  testing::TempFolder temp;
  const std::string folder = temp / "x.SAFE/measurement/";
  write_tiff(folder + "s1a-iw-grd-vv-20200101t000000-20200101t000025-030000-037000-001.tiff",
             GDT_UInt16, 1, 50);
  write_tiff(folder + "s1a-iw-grd-vh-20200101t000000-20200101t000025-030000-037000-002.tiff",
             GDT_UInt16, 1, 20);
  const auto scene = open_scene(temp / "x.SAFE");
  EXPECT_EQ(scene->info().format, "Sentinel-1 GRD iw");
  EXPECT_EQ(scene->info().pair, ChannelPair::pp2);
  EXPECT_EQ(scene->info().notes.size(), 2U);
  const MatrixWindow read = scene->read({0, 0, kRows, kCols});
  for (std::size_t i = 0; i < kPixels; ++i) {
    const auto at = static_cast<float>(i);
    EXPECT_EQ(read.plane(0)[i], (50 + at) * (50 + at));
    EXPECT_EQ(read.plane(1)[i], 0.0F);
    EXPECT_EQ(read.plane(2)[i], 0.0F);
    EXPECT_EQ(read.plane(3)[i], (20 + at) * (20 + at));
  }
  write_tiff(folder + "s1a-iw1-slc-vh-20200101t000000-20200101t000025-030000-037000-003.tiff",
             GDT_CInt16, 1, 20);
  testing::expect_refusal([&] { open_scene(temp / "x.SAFE"); }, {"2 swaths", "2 types"});
}

// Two segments of four polarisations; values tell segment and polarisation.
TEST(Uavsar, slc_stacks_are_read_segment_by_segment) {
  testing::TempFolder temp;
  const auto stem = [](const std::string& name) {
    return "SanAnd_05024_10023_000_100101_L090" + name + "_02_BC";
  };
  for (std::size_t c = 0; c < 4; ++c) {
    testing::write_text(temp / (stem(kAll[c]) + ".ann"),
                        "slc_1_1x1 Rows   (pixels) = 2 ; rows\nslc_1_1x1 Columns (pixels) = 3\n"
                        "slc_2_1x1 Rows (pixels) = 1\nslc_2_1x1 Columns (pixels) = 3\n");
    for (int segment = 1; segment <= 2; ++segment) {
      std::vector<float> values;
      for (int i = 0; i < (segment == 1 ? 12 : 6); ++i) {
        values.push_back(static_cast<float>(1000 * segment + 100 * static_cast<int>(c) + i));
      }
      testing::write_floats(temp / (stem(kAll[c]) + "_s" + std::to_string(segment) + "_1x1.slc"),
                            values);
    }
  }
  const auto first = open_scene(temp.path());
  EXPECT_EQ(first->info().format, "UAVSAR slc, segment 1");
  EXPECT_EQ(first->info().rows, 2);
  const auto second = open_scene(temp / (stem("VV") + "_s2_1x1.slc"));
  EXPECT_EQ(second->info().rows, 1);
  const MatrixWindow a = first->read({1, 0, 1, 3}), b = second->read({0, 0, 1, 3});
  for (std::size_t c = 0; c < 4; ++c) {
    const double at = 100.0 * static_cast<double>(c);
    expect_amplitude(a, c, 0, {1006 + at, 1007 + at});
    expect_amplitude(b, c, 2, {2004 + at, 2005 + at});
  }
}

}  // namespace
}  // namespace oida
