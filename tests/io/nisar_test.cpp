#include <array>
#include <cmath>
#include <cstdint>

#include "io/h5_writing.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/testing.hpp"

namespace oida {
namespace {

using Floats = std::vector<float>;
using testing::H5Writer;

/// IEEE 754 binary16 by its definition.
float half(std::uint16_t bits) {
  const int sign = (bits >> 15) != 0 ? -1 : 1;
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent == 31) return fraction != 0 ? std::nanf("") : static_cast<float>(sign) * INFINITY;
  const double value =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return static_cast<float>(sign * value);
}

/// Bits of a dataset of float16 pairs, as stored.
std::vector<std::uint16_t> stored_bits(const std::string& path, const std::string& name,
                                       std::size_t pixels) {
  std::vector<std::uint16_t> bits(2 * pixels);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  const hid_t type = H5Dget_type(set);
  EXPECT_EQ(H5Tget_size(type), 4U);
  EXPECT_GE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bits.data()), 0);
  H5Tclose(type);
  H5Dclose(set);
  H5Fclose(file);
  return bits;
}

TEST(NisarReal, takes_polarisations_by_name_and_float16_as_it_is) {
  OIDA_SAMPLE_OR_SKIP(path, "nisar_rslc/calib_RSLC_ALPSRP025826990_RIO_BRANCO_CR.h5");
  // All of the test's own reading first: the scene keeps the file open, without locks.
  std::array<std::vector<std::uint16_t>, 4> bits;
  const std::array<const char*, 4> names{"HH", "HV", "VH", "VV"};
  for (std::size_t channel = 0; channel < 4; ++channel) {
    bits[channel] = stored_bits(
        path, std::string("/science/LSAR/RSLC/swaths/frequencyA/") + names[channel], 5000);
  }
  const auto scene = open_scene(path);
  EXPECT_EQ(scene->info().format, "NISAR RSLC");
  EXPECT_EQ(scene->info().kind, MatrixKind::s2);
  ASSERT_EQ(scene->info().rows, 100);
  ASSERT_EQ(scene->info().cols, 50);
  const MatrixWindow read = scene->read({10, 5, 90, 45});
  for (std::size_t channel = 0; channel < 4; ++channel) {
    for (std::size_t i = 0; i < read.pixels(); ++i) {
      const std::size_t at = 2 * ((10 + i / 45) * 50 + 5 + i % 45);
      ASSERT_EQ(read.plane(2 * channel)[i], half(bits[channel][at])) << names[channel];
      ASSERT_EQ(read.plane(2 * channel + 1)[i], half(bits[channel][at + 1])) << names[channel];
    }
  }
  EXPECT_EQ(scene->bytes_read(), 4 * 4 * 90 * 45);
}

TEST(NisarReal, finds_the_old_path_and_says_that_one_polarisation_is_no_matrix) {
  OIDA_SAMPLE_OR_SKIP(path, "nisar_rslc/REE_RSLC_out17.h5");
  testing::expect_refusal([&] { open_scene(path); }, {"REE_RSLC_out17.h5", "polarisations HH"});
}

constexpr const char* kGroup = "/science/LSAR/GCOV/grids/frequencyA/";
constexpr std::size_t kPixels = 6;  // 2 x 3

Floats ramp(float first, std::size_t count = kPixels) {
  Floats out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = first + static_cast<float>(i);
  return out;
}

void write_gcov(H5Writer& file, const std::vector<std::string>& terms) {
  file.texts(std::string(kGroup) + "listOfCovarianceTerms", terms, 4);
  float first = 100;
  for (const auto& term : terms) {
    const std::string name = kGroup + term;
    if (term.substr(0, 2) == term.substr(2)) file.real(name, 2, 3, ramp(first));
    if (term.substr(0, 2) != term.substr(2)) file.complex(name, 2, 3, ramp(first, 2 * kPixels));
    first += 100;
  }
}

void expect_plane(const MatrixWindow& read, std::size_t plane, double first, double step) {
  for (std::size_t i = 0; i < kPixels; ++i) {
    const double wanted = first + step * static_cast<double>(i);
    EXPECT_NEAR(read.plane(plane)[i], wanted, 1e-6 * std::abs(wanted)) << plane << ' ' << i;
  }
}

// JPL D-102269, NISAR GSLC: complex rasters on a map grid, coordinates of pixel centres.
TEST(NisarGslc, takes_polarisations_by_name_and_has_mask_and_grid) {
  testing::TempFolder temp;
  const std::string path = temp / "gslc.h5", group = "/science/LSAR/GSLC/grids/frequencyA/";
  {
    H5Writer file(path);
    file.texts(group + "listOfPolarizations", {"VV", "HH", "VH", "HV"}, 2);
    file.complex(group + "HH", 2, 3, ramp(10, 2 * kPixels));
    file.complex(group + "HV", 2, 3, ramp(40, 2 * kPixels));
    file.complex(group + "VH", 2, 3, ramp(70, 2 * kPixels));
    file.complex(group + "VV", 2, 3, ramp(100, 2 * kPixels));
    file.bytes(group + "mask", 2, 3, {1, 1, 1, 1, 0, static_cast<char>(255)});
    file.numbers(group + "xCoordinates", {700005, 700015, 700025});
    file.numbers(group + "yCoordinates", {1999995, 1999985});
    file.numbers(group + "projection", {32733});
  }
  const auto scene = open_scene(path);
  EXPECT_EQ(scene->info().format, "NISAR GSLC");
  ASSERT_EQ(scene->info().kind, MatrixKind::s2);
  const MatrixWindow read = scene->read({0, 0, 2, 3});
  EXPECT_EQ(read.valid, (std::vector<std::uint8_t>{1, 1, 1, 1, 0, 0}));
  for (std::size_t plane = 0; plane < 8; ++plane) {
    const double first = 10 + 30 * static_cast<double>(plane / 2) + static_cast<double>(plane % 2);
    expect_plane(read, plane, first, 2);
  }
  const Georeference& geo = scene->info().georeference;
  EXPECT_EQ(geo.transform, (std::array<double, 6>{700000, 10, 0, 2000000, 0, -10}));
  EXPECT_NE(geo.wkt.find("33S"), std::string::npos) << geo.wkt;
}

TEST(NisarGcov, of_three_polarisations_is_a_c3_with_its_factors) {
  testing::TempFolder temp;
  const std::string path = temp / "gcov.h5";
  {
    H5Writer file(path);
    write_gcov(file, {"VVVV", "HVHV", "HHHV", "HHHH", "VVHV", "HHVV"});
  }
  const auto scene = open_scene(path);
  ASSERT_EQ(scene->info().kind, MatrixKind::c3);
  EXPECT_TRUE(scene->info().notes.empty());
  const MatrixWindow read = scene->read({0, 0, 2, 3});
  const double root = std::sqrt(2.0);
  expect_plane(read, 0, 400, 1);                // HHHH
  expect_plane(read, 1, 300 * root, 2 * root);  // sqrt 2 Re HHHV: every other of its values
  expect_plane(read, 2, 301 * root, 2 * root);
  expect_plane(read, 3, 600, 2);                // HHVV
  expect_plane(read, 5, 2 * 200, 2);            // 2 HVHV
  expect_plane(read, 6, 500 * root, 2 * root);  // conj(VVHV) sqrt 2
  expect_plane(read, 7, -501 * root, -2 * root);
  expect_plane(read, 8, 100, 1);
}

TEST(NisarGcov, of_powers_only_says_so_and_honours_mask_and_grid) {
  testing::TempFolder temp;
  const std::string path = temp / "gcov.h5";
  {
    H5Writer file(path);
    write_gcov(file, {"HHHH", "HVHV"});
    file.bytes(std::string(kGroup) + "mask", 2, 3, {1, 0, 2, static_cast<char>(255), 1, 5});
    file.numbers(std::string(kGroup) + "xCoordinates", {500010, 500030, 500050});
    file.numbers(std::string(kGroup) + "yCoordinates", {4000000, 3999990});
    file.numbers(std::string(kGroup) + "projection", {32631});
  }
  const auto scene = open_scene(path);
  EXPECT_EQ(scene->info().pair, ChannelPair::pp1);
  ASSERT_EQ(scene->info().notes.size(), 1U);
  const MatrixWindow read = scene->read({0, 0, 2, 3});
  EXPECT_EQ(read.valid, (std::vector<std::uint8_t>{1, 0, 1, 0, 1, 1}));
  EXPECT_EQ(read.plane(1)[0], 0.0F);
  const Georeference& geo = scene->info().georeference;
  EXPECT_EQ(geo.transform, (std::array<double, 6>{500000, 20, 0, 4000005, 0, -10}));
  EXPECT_NE(geo.wkt.find("31N"), std::string::npos) << geo.wkt;
}

TEST(NisarGcov, of_four_polarisations_is_a_c4_without_factors) {
  testing::TempFolder temp;
  const std::string path = temp / "gcov.h5";
  {
    H5Writer file(path);
    write_gcov(file,
               {"HHHH", "HHHV", "HHVH", "HHVV", "HVHV", "HVVH", "HVVV", "VHVH", "VHVV", "VVVV"});
  }
  const MatrixWindow read = open_scene(path)->read({0, 0, 2, 3});
  ASSERT_EQ(read.kind, MatrixKind::c4);
  expect_plane(read, 0, 100, 1);
  expect_plane(read, 2, 201, 2);
  expect_plane(read, 7, 500, 1);
  expect_plane(read, 13, 900, 2);
  expect_plane(read, 15, 1000, 1);
}

TEST(Nisar, claims_larger_than_the_file_are_refused) {
  testing::TempFolder temp;
  const std::string path = temp / "rslc.h5";
  {
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    const std::array<hsize_t, 2> dims{1 << 20, 1 << 20};
    const hid_t space = H5Screate_simple(2, dims.data(), nullptr);
    for (const char* name : {"HHHH", "HVHV"}) {
      H5Dclose(H5Dcreate2(file, (std::string(kGroup) + name).c_str(), H5T_IEEE_F32LE, space, links,
                          H5P_DEFAULT, H5P_DEFAULT));
    }
    H5Sclose(space);
    const hsize_t two = 2;
    const hid_t text = H5Tcopy(H5T_C_S1), list = H5Screate_simple(1, &two, nullptr);
    H5Tset_size(text, 4);
    const hid_t terms = H5Dcreate2(file, (std::string(kGroup) + "listOfCovarianceTerms").c_str(),
                                   text, list, links, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(terms, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, "HHHHHVHV");
    H5Dclose(terms);
    H5Sclose(list);
    H5Tclose(text);
    H5Pclose(links);
    H5Fclose(file);
  }
  testing::expect_refusal([&] { open_scene(path); }, {"HHHH", "larger than its file"});
}

}  // namespace
}  // namespace oida
