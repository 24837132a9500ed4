// Damaged files of every format: read as something, or refused in one line; never a crash.
// OIDA_MUTATIONS sets how many are tried.

#include <array>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "core/error.hpp"
#include "io/gdal.hpp"
#include "io/h5_types.hpp"
#include "io/h5_writing.hpp"
#include "io/product_writing.hpp"
#include "io/scene/labels.hpp"
#include "io/scene/scene_cache.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/testing.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;
using Random = std::mt19937_64;
using testing::tag;
using testing::write_text;
using testing::write_tiff;

constexpr int kDefaultMutations = 400;

/// Some whole files in `folder`; what is given to the reader is `folder` + `path`.
struct Base {
  const char* name;
  void (*make)(const std::string& folder);
  const char* path;
};

void make_polsarpro(const std::string& folder) {
  testing::write_small_scene(folder);
}

void make_headerless(const std::string& folder) {
  testing::write_small_scene(folder);
  for (const auto& name : testing::files_in(folder)) {
    if (name.ends_with(".hdr")) fs::remove(folder + "/" + name);
  }
}

void make_dimap(const std::string& folder) {
  for (const auto element : kT3Elements) {
    const std::string stem = folder + "/s.data/" + std::string(element);
    testing::write_floats(stem + ".img", std::vector<float>(12, 2));
    write_text(stem + ".hdr", testing::small_header());
  }
}

void make_geotiff(const std::string& folder) {
  start_gdal();
  GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("GTiff");
  char** options = CSLSetNameValue(nullptr, "COMPRESS", "DEFLATE");
  GdalDataset file(driver->Create((folder + "/s.tif").c_str(), 8, 9, 9, GDT_Float32, options));
  CSLDestroy(options);
  std::vector<float> values(72, 3);
  for (int e = 0; e < 9; ++e) {
    file->GetRasterBand(e + 1)->SetDescription(
        std::string(kT3Elements[static_cast<std::size_t>(e)]).c_str());
    if (file->GetRasterBand(e + 1)->RasterIO(GF_Write, 0, 0, 8, 9, values.data(), 8, 9, GDT_Float32,
                                             0, 0, nullptr) != CE_None) {
      throw std::runtime_error("no GeoTIFF");
    }
  }
}

void make_nisar(const std::string& folder) {
  testing::H5Writer file(folder + "/s.h5");
  const std::string group = "/science/LSAR/GCOV/grids/frequencyA/";
  file.texts(group + "listOfCovarianceTerms", {"HHHH", "HVHV", "HHHV"}, 4);
  file.real(group + "HHHH", 4, 3, std::vector<float>(12, 2));
  file.real(group + "HVHV", 4, 3, std::vector<float>(12, 2));
  file.complex(group + "HHHV", 4, 3, std::vector<float>(24, 1));
  file.bytes(group + "mask", 4, 3, std::vector<char>(12, 1));
  file.numbers(group + "xCoordinates", {1, 2, 3});
  file.numbers(group + "yCoordinates", {4, 3, 2, 1});
  file.numbers(group + "projection", {32631});
}

void make_cache(const std::string& folder) {
  testing::write_small_scene(folder + "/T3");
  const auto scene = open_scene(folder + "/T3");
  make_scene_cache(folder + "/s.h5", *scene);
  fs::remove_all(folder + "/T3");
}

void make_alos2(const std::string& folder) {
  for (const char* name : {"HH", "HV"}) {
    std::string image(720, ' ');
    image.replace(236, 8, "       2");
    image.replace(248, 8, "       3");
    image += std::string(2 * (544 + 24), '\x3f');
    write_text(folder + "/IMG-" + name + "-ALOS2", image);
  }
}

void make_uavsar(const std::string& folder) {
  std::string text = "mlc_mag.set_rows (pixels) = 2 ; rows\nmlc_mag.set_cols (pixels) = 3\n";
  for (const char* term : {"HHHH", "HHHV", "HHVV", "HVHV", "HVVV", "VVVV"}) {
    const std::string name = std::string("a_") + term + ".mlc";
    const bool power = std::string_view(term).substr(0, 2) == std::string_view(term).substr(2);
    text += std::string("mlc") + term + " = " + name + "\n";
    testing::write_floats(folder + "/" + name, std::vector<float>(power ? 6 : 12, 1));
  }
  write_text(folder + "/a.ann", text);
}

void make_gaofen3(const std::string& folder) {
  write_text(folder + "/GF3_A.meta.xml",
             tag("p", tag("QualifyValue", tag("HH", "100.5") + tag("HV", "50")) +
                          tag("CalibrationConst", tag("HH", "10") + tag("HV", "NULL"))));
  write_tiff(folder + "/GF3_HH_L1A.tiff", GDT_Int16, 2, 10);
  write_tiff(folder + "/GF3_HV_L1A.tiff", GDT_Int16, 2, 20);
}

void make_rcm(const std::string& folder) {
  write_tiff(folder + "/imagery/RCM_HH_SLC.tif", GDT_Int16, 2, 10);
  write_tiff(folder + "/imagery/RCM_HV_SLC.tif", GDT_Int16, 2, 20);
  fs::create_directories(folder + "/metadata/calibration");
  write_text(folder + "/metadata/product.xml",
             "<product xmlns=\"rcmGsProductSchema\">" + tag("productType", "SLC") + "</product>");
  for (const char* name : {"HH", "HV"}) {
    write_text(
        folder + "/metadata/calibration/lutSigma_" + name + ".xml",
        tag("lut", tag("pixelFirstLutValue", "0") + tag("stepSize", "1") + tag("gains", "2 3 4")));
  }
}

void make_biomass(const std::string& folder) {
  write_tiff(folder + "/measurement/bio_i_abs.tiff", GDT_Float32, 2, 10);
  write_tiff(folder + "/measurement/bio_i_phase.tiff", GDT_Float32, 2, 0);
  fs::create_directories(folder + "/annotation");
  write_text(folder + "/annotation/bio_annot.xml",
             tag("a", tag("polarisationList", tag("p", "HH") + tag("p", "HV"))));
  testing::H5Writer table(folder + "/annotation/bio_lut.nc");
  table.real("/radiometry/sigmaNought", 1, 2, {1, 2});
}

constexpr std::array kBases = {
    Base{"polsarpro", make_polsarpro, ""}, Base{"headerless", make_headerless, ""},
    Base{"dimap", make_dimap, "/s.data"},  Base{"geotiff", make_geotiff, "/s.tif"},
    Base{"nisar", make_nisar, "/s.h5"},    Base{"cache", make_cache, "/s.h5"},
    Base{"alos2", make_alos2, ""},         Base{"uavsar", make_uavsar, ""},
    Base{"gaofen3", make_gaofen3, ""},     Base{"rcm", make_rcm, ""},
    Base{"biomass", make_biomass, ""}};

std::size_t below(Random& random, std::size_t n) {
  return n == 0 ? 0 : random() % n;
}

void mutate(std::string& bytes, Random& random) {
  constexpr std::array<const char*, 8> kWords = {"-1",  "0", "99999999999", "4294967295", "nan",
                                                 "1e9", "",  "2147483647"};
  if (bytes.empty()) return;
  const std::size_t at = below(random, bytes.size());
  switch (random() % 6) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      break;
    case 1:
      bytes[at] = static_cast<char>(random());
      break;
    case 2:
      bytes.resize(at);
      break;
    case 3:
      bytes.insert(at, bytes.substr(at, 1 + random() % 64));
      break;
    case 4:
      bytes.erase(at, 1 + random() % 16);
      break;
    default: {  // a number of a text
      const auto digit = bytes.find_first_of("0123456789", at);
      if (digit == std::string::npos) break;
      const auto end = bytes.find_first_not_of("0123456789", digit);
      bytes.replace(digit, std::min(end, bytes.size()) - digit, kWords[random() % kWords.size()]);
    }
  }
}

/// Read whole where it is small, or a corner.
void read_some(SceneSource& scene) {
  constexpr int kMost = 64;
  const SceneInfo& info = scene.info();
  scene.read({0, 0, std::min(info.rows, kMost), std::min(info.cols, kMost)});
}

void expect_read_or_refused(const std::function<void()>& action, int number, const char* name) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.message().find('\n'), std::string::npos)
        << name << ' ' << number << ' ' << error.message();
    EXPECT_FALSE(error.message().empty());
  } catch (const std::exception& error) {
    ADD_FAILURE() << name << ' ' << number << ": " << error.what();
  }
}

int mutations() {
  const char* text = std::getenv("OIDA_MUTATIONS");
  return text == nullptr ? kDefaultMutations : std::atoi(text);
}

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Mutations, of_scenes_are_read_or_refused_in_one_line) {
  start_h5();  // before the first file of the test's own
  testing::TempFolder temp;
  for (const Base& base : kBases) {
    fs::create_directory(temp / base.name);
    base.make(temp / base.name);
    const std::string path = (temp / base.name) + base.path;
    EXPECT_NO_THROW(read_some(*open_scene(path))) << base.name;
  }
  for (int number = 0; number < mutations(); ++number) {
    const Base& base = kBases[static_cast<std::size_t>(number) % kBases.size()];
    Random random(static_cast<std::uint64_t>(number));
    const std::string folder = temp / base.name;
    const auto files = files_below(folder);
    const std::string& file = files[below(random, files.size())];
    const std::string whole = testing::read_text(file);
    std::string bytes = whole;
    for (std::size_t n = 0; n <= random() % 3; ++n) mutate(bytes, random);
    write_text(file, bytes);
    expect_read_or_refused([&] { read_some(*open_scene(folder + base.path)); }, number, base.name);
    write_text(file, whole);
  }
}

TEST(Mutations, of_labels_are_read_or_refused_in_one_line) {
  OIDA_SAMPLE_OR_SKIP(folder, "flevoland_headerless_haalpha");
  testing::TempFolder temp;
  const std::string whole = testing::read_text(folder + "/F15_GroundTruth.png");
  for (int number = 0; number < mutations() / 8; ++number) {
    Random random(static_cast<std::uint64_t>(number));
    std::string bytes = whole;
    mutate(bytes, random);
    write_text(temp / "labels.png", bytes);
    expect_read_or_refused([&] { read_labels(temp / "labels.png", 128, 256); }, number, "png");
  }
}

}  // namespace
}  // namespace oida
