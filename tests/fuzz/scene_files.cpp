#include "fuzz/scene_files.hpp"

#include <array>
#include <filesystem>
#include <stdexcept>

#include <matio.h>

#include "io/gdal.hpp"
#include "io/h5_types.hpp"
#include "io/scene/labels.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/small_scenes.hpp"
#include "io/testing.hpp"

namespace oida::fuzz {
namespace {

constexpr int kRows = 4, kCols = 3;
constexpr std::array kEndings = {".mat", ".png", ".tif"};

/// All small scenes, each in a folder of its own.
struct Scenes {
  Scenes() {
    start_h5();
    for (const auto& scene : testing::small_scenes()) {
      std::filesystem::create_directory(folder / scene.name);
      scene.make(folder / scene.name);
      files.push_back(testing::files_below(folder / scene.name));
    }
  }

  testing::TempFolder folder;
  std::vector<std::vector<std::string>> files;
};

const Scenes& scenes() {
  static const Scenes all;
  return all;
}

std::string read_and_remove(const std::string& path) {
  const std::string bytes = testing::read_text(path);
  std::filesystem::remove(path);
  return bytes;
}

std::string mat_labels(const std::string& path, matio_compression compression) {
  std::vector<std::uint8_t> ids(kRows * kCols, 2);
  std::array<std::size_t, 2> dims{kRows, kCols};
  mat_t* file = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5);
  matvar_t* matrix = Mat_VarCreate("gt", MAT_C_UINT8, MAT_T_UINT8, 2, dims.data(), ids.data(), 0);
  if (Mat_VarWrite(file, matrix, compression) != 0) throw std::runtime_error("no MATLAB file");
  Mat_VarFree(matrix);
  Mat_Close(file);
  return read_and_remove(path);
}

std::string raster_labels(const std::string& path, int bands, bool palette) {
  const std::vector<std::uint8_t> bytes(static_cast<std::size_t>(kRows * kCols * bands), 1);
  const GdalDataset raster = memory_raster(kRows, kCols, bands, bytes);
  GDALColorTable table = colour_table(testing::three_classes());
  if (palette) raster->GetRasterBand(1)->SetColorTable(&table);
  if (path.ends_with(".png")) {
    write_png(path, *raster);
  } else {
    GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("GTiff");
    GdalDataset(driver->CreateCopy(path.c_str(), raster.get(), 0, nullptr, nullptr, nullptr));
  }
  return read_and_remove(path);
}

}  // namespace

std::vector<std::string> scene_seeds() {
  std::vector<std::string> seeds;
  for (std::size_t scene = 0; scene < scenes().files.size(); ++scene) {
    const auto& files = scenes().files[scene];
    for (std::size_t file = 0; file < files.size(); ++file) {
      const std::string choice{static_cast<char>(scene), static_cast<char>(file)};
      seeds.push_back(choice + testing::read_text(files[file]));
    }
  }
  return seeds;
}

void read_scene_file(const std::string& bytes) {
  if (bytes.size() < 2) return;
  const auto choice = [&](std::size_t at, std::size_t n) {
    return static_cast<unsigned char>(bytes[at]) % n;
  };
  const std::size_t number = choice(0, scenes().files.size());
  const testing::SmallScene& scene = testing::small_scenes()[number];
  const auto& files = scenes().files[number];
  const std::string& file = files[choice(1, files.size())];
  const std::string whole = testing::read_text(file);
  testing::write_text(file, bytes.substr(2));
  try {
    testing::read_some(*open_scene((scenes().folder / scene.name) + scene.path));
  } catch (...) {
    testing::write_text(file, whole);
    throw;
  }
  testing::write_text(file, whole);
}

std::vector<std::string> label_seeds() {
  const testing::TempFolder folder;
  const auto place = [&](std::size_t ending) { return (folder / "l") + kEndings[ending]; };
  return {'\0' + mat_labels(place(0), MAT_COMPRESSION_NONE),
          '\0' + mat_labels(place(0), MAT_COMPRESSION_ZLIB),
          '\1' + raster_labels(place(1), 1, false),
          '\1' + raster_labels(place(1), 1, true),
          '\1' + raster_labels(place(1), 3, false),
          '\2' + raster_labels(place(2), 1, true),
          '\2' + raster_labels(place(2), 3, false)};
}

void read_label_file(const std::string& bytes) {
  if (bytes.empty()) return;
  static const testing::TempFolder folder;
  const std::size_t ending = static_cast<unsigned char>(bytes[0]) % kEndings.size();
  const std::string file = (folder / "labels") + kEndings[ending];
  testing::write_text(file, bytes.substr(1));
  read_labels(file, kRows, kCols);
}

}  // namespace oida::fuzz
