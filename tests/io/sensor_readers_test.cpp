// Formats of single sensors. Their files are written here from the published layouts.

#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <filesystem>

#include "io/gdal.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/testing.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;
using Complex = std::complex<double>;
using Floats = std::vector<float>;

std::string as_bytes(const Floats& values, bool big_endian) {
  std::string out;
  for (const float value : values) {
    auto bits = std::bit_cast<std::uint32_t>(value);
    if (big_endian) bits = __builtin_bswap32(bits);
    out.append(reinterpret_cast<const char*>(&bits), sizeof bits);
  }
  return out;
}

// ALOS-2: 3 lines of 2 pixels.
std::string ceos_image(float first, const std::string& lines = "       3") {
  std::string out(720, ' ');
  out.replace(236, 8, lines);
  out.replace(248, 8, "       2");
  for (int line = 0; line < 3; ++line) {
    out += std::string(544, '\x7f');
    const float value = first + static_cast<float>(4 * line);
    out += as_bytes({value, value + 1, value + 2, value + 3}, true);
  }
  return out;
}

TEST(Alos2, is_calibrated_and_big_endian) {
  testing::TempFolder temp;
  float first = 1;
  for (const char* name : {"HH", "HV", "VH", "VV"}) {
    testing::write_text(temp / ("IMG-" + std::string(name) + "-ALOS2000-HBQR1.1__A"),
                        ceos_image(first));
    first += 100;
  }
  testing::write_text(temp / "LED-ALOS2000-HBQR1.1__A", "leader");
  const auto scene = open_scene(temp.path());
  EXPECT_EQ(scene->info().format, "ALOS-2 CEOS L1.1");
  ASSERT_EQ(scene->info().rows, 3);
  ASSERT_EQ(scene->info().cols, 2);
  const MatrixWindow read = scene->read({1, 1, 2, 1});
  const double factor = std::pow(10.0, -115.0 / 20);
  for (std::size_t channel = 0; channel < 4; ++channel) {
    for (std::size_t i = 0; i < 2; ++i) {
      const double real =
          100.0 * static_cast<double>(channel) + 1 + 4 * (1 + static_cast<double>(i)) + 2;
      EXPECT_NEAR(read.plane(2 * channel)[i] / factor, real, 1e-4);
      EXPECT_NEAR(read.plane(2 * channel + 1)[i] / factor, real + 1, 1e-4);
    }
  }
}

TEST(Alos2, with_another_number_of_lines_or_none_is_refused) {
  testing::TempFolder temp;
  for (const char* name : {"HH", "HV"}) {
    testing::write_text(temp / ("IMG-" + std::string(name) + "-ALOS2"), ceos_image(1));
  }
  EXPECT_EQ(open_scene(temp.path())->info().pair, ChannelPair::pp1);
  testing::write_text(temp / "IMG-HV-ALOS2", ceos_image(1, "       4"));
  testing::expect_refusal([&] { open_scene(temp.path()); }, {"IMG-HV", "4 rows x 2 cols"});
  testing::write_text(temp / "IMG-HV-ALOS2", ceos_image(1, "99999999"));
  testing::expect_refusal([&] { open_scene(temp.path()); }, {"IMG-HV", "99999999"});
  testing::write_text(temp / "IMG-HV-ALOS2", ceos_image(1, "   x    "));
  testing::expect_refusal([&] { open_scene(temp.path()); }, {"IMG-HV", "number of lines"});
  testing::write_text(temp / "IMG-HV-ALOS2", ceos_image(1, "        "));
  testing::expect_refusal([&] { open_scene(temp.path()); }, {"IMG-HV", "number of lines"});
  testing::write_text(temp / "IMG-HV-ALOS2", "short");
  testing::expect_refusal([&] { open_scene(temp.path()); }, {"IMG-HV", "5 bytes"});
}

// A pair of amplitudes is the C2 of its outer product.
TEST(Alos2, pairs_become_a_c2) {
  testing::TempFolder temp;
  testing::write_text(temp / "IMG-VV-ALOS2", ceos_image(1));
  testing::write_text(temp / "IMG-VH-ALOS2", ceos_image(50));
  const auto scene = open_scene(temp.path());
  EXPECT_EQ(scene->info().pair, ChannelPair::pp2);
  const MatrixWindow read = scene->read({2, 0, 1, 1});
  const double factor = std::pow(10.0, -115.0 / 20);
  const Complex vv(9, 10), vh(58, 59);
  const Complex c12 = vv * std::conj(vh);
  const std::array<double, 4> wanted{std::norm(vv), c12.real(), c12.imag(), std::norm(vh)};
  for (std::size_t e = 0; e < 4; ++e) {
    EXPECT_NEAR(read.plane(e)[0] / factor / factor, wanted[e], 1e-3) << e;
  }
}

std::string annotation(const std::string& cols = "2") {
  return "; UAVSAR\nmlcHHHH  (-) = a_HHHH.mlc ; name\ngrdHHHH = a_HHHH.grd\ngrdHHHV = a_HHHV.grd\n"
         "grdHHVV=a_HHVV.grd\ngrdHVHV = a_HVHV.grd\ngrdHVVV = a_HVVV.grd\r\ngrdVVVV = a_VVVV.grd\n"
         "grd_mag.set_rows     (pixels)   = 2 ; rows\ngrd_mag.set_cols (pixels) = " +
         cols +
         "\ngrd_mag.row_addr (deg) = 35.5 ; centre of the first pixel\n"
         "grd_mag.col_addr (deg) = -120.25\ngrd_mag.row_mult (deg/pixel) = -0.5\n"
         "grd_mag.col_mult (deg/pixel) = 0.25\n";
}

TEST(Uavsar, has_the_factors_of_a_c3_and_lies_at_pixel_centres) {
  testing::TempFolder temp;
  testing::write_text(temp / "a.ann", annotation());
  float first = 10;
  for (const char* power : {"HHHH", "HVHV", "VVVV"}) {
    const std::string file = std::string("a_") + power + ".grd";
    testing::write_text(temp / file, as_bytes({first, first + 1, first + 2, first + 3}, false));
    first += 10;
  }
  for (const char* product : {"HHHV", "HHVV", "HVVV"}) {
    Floats values;
    for (int i = 0; i < 8; ++i) values.push_back(first + static_cast<float>(i));
    testing::write_text(temp / (std::string("a_") + product + ".grd"), as_bytes(values, false));
    first += 10;
  }
  for (const std::string& path : {temp.path(), temp / "a.ann"}) {
    const auto scene = open_scene(path);
    EXPECT_EQ(scene->info().format, "UAVSAR grd");
    const MatrixWindow read = scene->read({1, 1, 1, 1});
    const double root = std::sqrt(2.0);
    const std::array<double, 9> wanted{13,      46 * root, 47 * root, 56, 57,
                                       2 * 23., 66 * root, 67 * root, 33};
    for (std::size_t e = 0; e < 9; ++e) EXPECT_NEAR(read.plane(e)[0], wanted[e], 1e-5) << e;
    EXPECT_EQ(scene->info().georeference.transform,
              (std::array<double, 6>{-120.375, 0.25, 0, 35.75, 0, -0.5}));
  }
  testing::write_text(temp / "a.ann", annotation("3"));
  testing::expect_refusal([&] { open_scene(temp.path()); }, {"a_HHHH.grd", "16 bytes", "24"});
  testing::write_text(temp / "a.ann", annotation("-2"));
  testing::expect_refusal([&] { open_scene(temp.path()); }, {"a.ann", "set_cols is -2"});
}

// AIRSAR: records of 100 bytes, one header record, 2 lines of 10 pixels of 10 bytes.
std::string airsar_header() {
  const auto line = [](const std::string& key, int value) {
    std::string text = key + " = " + std::to_string(value);
    return text + std::string(50 - text.size(), ' ');
  };
  std::string out = line("RECORD LENGTH IN BYTES", 2000) + line("NUMBER OF HEADER RECORDS", 1) +
                    line("NUMBER OF SAMPLES PER RECORD", 200) +
                    line("NUMBER OF LINES IN IMAGE", 2) + line("NUMBER OF BYTES PER SAMPLE", 10) +
                    "JPL AIRCRAFT SAR PROCESSOR VERSION 6.10           " +
                    "DATA TYPE = BYTE                                  " +
                    line("BYTE OFFSET OF FIRST DATA RECORD", 2000);
  out.resize(2000, ' ');
  return out;
}

std::array<int, 10> stokes_bytes(std::size_t i) {
  const int k = static_cast<int>(i % 7);
  return {-3 + k, 10 * k - 30, 5 - k, 40 - 3 * k, -20 + 2 * k, 15, -11 + k, 30, -9, 12};
}

/// T3 in terms of the Stokes matrix M that the ten bytes give: T11 = M11 + M22 + M33 - M44 and so
/// on (Lee and Pottier 2009, ch. 3).
std::array<double, 9> t3_of(const std::array<int, 10>& b) {
  const auto square = [&](std::size_t i) {
    return (b[i] < 0 ? -1.0 : 1.0) * b[i] * b[i] / 16129.0;
  };
  const double m11 = (b[1] / 254.0 + 1.5) * std::pow(2.0, b[0]);
  const double m12 = b[2] * m11 / 127, m13 = square(3) * m11, m14 = square(4) * m11;
  const double m23 = square(5) * m11, m24 = square(6) * m11, m33 = b[7] * m11 / 127;
  const double m34 = b[8] * m11 / 127, m44 = b[9] * m11 / 127, m22 = m11 - m33 - m44;
  return {m11 + m22 + m33 - m44,
          2 * m12,
          2 * m34,
          2 * m13,
          -2 * m24,
          m11 + m22 - m33 + m44,
          2 * m23,
          -2 * m14,
          m11 - m22 + m33 + m44};
}

TEST(Airsar, stokes_matrices_become_t3) {
  testing::TempFolder temp;
  std::string file = airsar_header();
  for (std::size_t i = 0; i < 400; ++i) {
    for (const int b : stokes_bytes(i)) file += static_cast<char>(b);
  }
  testing::write_text(temp / "scene.dat", file);
  const auto scene = open_scene(temp / "scene.dat");
  EXPECT_EQ(scene->info().format, "AIRSAR Stokes");
  ASSERT_EQ(scene->info().rows, 2);
  ASSERT_EQ(scene->info().cols, 200);
  const MatrixWindow read = scene->read({1, 20, 1, 100});
  for (std::size_t i = 0; i < 100; i += 3) {
    const auto wanted = t3_of(stokes_bytes(220 + i));
    for (std::size_t e = 0; e < 9; ++e) {
      EXPECT_NEAR(read.plane(e)[i], wanted[e], 1e-6 * std::abs(wanted[0])) << e << ' ' << i;
    }
  }
  testing::write_text(temp / "scene.dat", file.substr(0, 5000));
  testing::expect_refusal([&] { open_scene(temp / "scene.dat"); }, {"5000 bytes", "6000"});
  file.replace(file.find("PER RECORD = 200"), 16, "PER RECORD = 900");
  testing::write_text(temp / "scene.dat", file);
  testing::expect_refusal([&] { open_scene(temp / "scene.dat"); }, {"records of 2000", "900"});
}

void write_rs2_image(const std::string& path, std::int16_t first) {
  start_gdal();
  GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("GTiff");
  GdalDataset file(driver->Create(path.c_str(), 3, 2, 2, GDT_Int16, nullptr));
  for (int band = 1; band <= 2; ++band) {
    std::array<std::int16_t, 6> values{};
    for (std::size_t i = 0; i < 6; ++i) {
      values[i] = static_cast<std::int16_t>(first + 100 * (band - 1) + static_cast<int>(i));
    }
    ASSERT_EQ(file->GetRasterBand(band)->RasterIO(GF_Write, 0, 0, 3, 2, values.data(), 3, 2,
                                                  GDT_Int16, 0, 0, nullptr),
              CE_None);
  }
}

/// Two channels with the second polarisation first, and gains that differ by column.
std::string rs2_product() {
  return "<?xml version=\"1.0\"?>\n<product xmlns=\"http://www.rsi.ca/rs2/prod/xml/schemas\">"
         "<imageGenerationParameters><generalProcessingInformation><productType>SLC</productType>"
         "</generalProcessingInformation></imageGenerationParameters>"
         "<imageAttributes><rasterAttributes><dataType>Complex</dataType>"
         "<bitsPerSample dataStream=\"Real\">16</bitsPerSample>"
         "<numberOfSamplesPerLine>3</numberOfSamplesPerLine><numberOfLines>2</numberOfLines>"
         "</rasterAttributes>"
         "<lookupTable incidenceAngleCorrection=\"Sigma Nought\">lutSigma.xml</lookupTable>"
         "<fullResolutionImageData pole=\"HV\">imagery_HV.tif</fullResolutionImageData>"
         "<fullResolutionImageData pole=\"HH\">imagery_HH.tif</fullResolutionImageData>"
         "</imageAttributes></product>";
}

TEST(Radarsat2, is_calibrated_by_its_look_up_table) {
  testing::TempFolder temp;
  testing::write_text(temp / "product.xml", rs2_product());
  testing::write_text(temp / "lutSigma.xml",
                      "<lut><offset>0.0</offset><gains>2.0 4.0 8.0</gains></lut>");
  write_rs2_image(temp / "imagery_HH.tif", 40);
  write_rs2_image(temp / "imagery_HV.tif", 10);
  for (const std::string& path : {temp.path(), temp / "product.xml"}) {
    const auto scene = open_scene(path);
    EXPECT_EQ(scene->info().format, "RADARSAT-2 sigma nought");
    EXPECT_EQ(scene->info().pair, ChannelPair::pp1);
    const MatrixWindow read = scene->read({1, 1, 1, 2});
    for (std::size_t i = 0; i < 2; ++i) {
      const double gain = i == 0 ? 4 : 8;
      const double at = 4 + static_cast<double>(i);
      const Complex hh = Complex(40 + at, 140 + at) / gain, hv = Complex(10 + at, 110 + at) / gain;
      EXPECT_NEAR(read.plane(0)[i], std::norm(hh), 1e-5 * std::norm(hh));
      EXPECT_NEAR(read.plane(1)[i], (hh * std::conj(hv)).real(), 1e-5 * std::norm(hh));
      EXPECT_NEAR(read.plane(2)[i], (hh * std::conj(hv)).imag(), 1e-5 * std::norm(hh));
      EXPECT_NEAR(read.plane(3)[i], std::norm(hv), 1e-5 * std::norm(hv));
    }
  }
}

TEST(Sentinel1Real, pair_is_a_c2_of_the_constants_it_holds) {
  OIDA_SAMPLE_OR_SKIP(folder, "sentinel1_iw_slc_dummy_pixels");
  const auto scene = open_scene(folder);
  EXPECT_EQ(scene->info().format, "Sentinel-1 SLC iw1");
  EXPECT_EQ(scene->info().rows, 13509);
  EXPECT_EQ(scene->info().cols, 21632);
  EXPECT_EQ(scene->info().pair, ChannelPair::pp2);
  const MatrixWindow read = scene->read({13000, 21000, 64, 64});
  // VV 2 + 0i, VH 1 + 0i (README of the samples).
  for (const std::size_t i : {0U, 4095U}) {
    EXPECT_EQ(read.plane(0)[i], 4.0F);
    EXPECT_EQ(read.plane(1)[i], 2.0F);
    EXPECT_EQ(read.plane(2)[i], 0.0F);
    EXPECT_EQ(read.plane(3)[i], 1.0F);
  }
}

}  // namespace
}  // namespace oida
