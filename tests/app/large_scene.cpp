// large_scene OUT ROWS COLS STEP FOLDER: from the upper left corner of the Sentinel-1 pair in
// FOLDER, the pair OUT/pair and the synthetic labels OUT/labels.tif, a block of 64 px in every
// STEP-th row and column of blocks. ROWS 0 links the whole pair.
//
// large_scene peak LIMIT_MB COMMAND...: runs it and fails where its memory (VmHWM) was above.

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gdal_priv.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

constexpr int kBlockPx = 64;
constexpr int kClasses = 4;

struct Close {
  void operator()(GDALDataset* dataset) const { GDALClose(dataset); }
};
using Dataset = std::unique_ptr<GDALDataset, Close>;

void check(bool good, const std::string& what) {
  if (!good) throw std::runtime_error(what);
}

Dataset create(const fs::path& path, int rows, int cols, GDALDataType type) {
  const std::array<const char*, 2> options{"COMPRESS=DEFLATE", nullptr};
  Dataset made(GetGDALDriverManager()->GetDriverByName("GTiff")->Create(
      path.c_str(), cols, rows, 1, type, const_cast<char**>(options.data())));
  check(made != nullptr, path.string() + " cannot be made");
  return made;
}

void cut(const fs::path& from, const fs::path& to, int rows, int cols) {
  Dataset whole(GDALDataset::FromHandle(GDALOpen(from.c_str(), GA_ReadOnly)));
  check(whole != nullptr, from.string() + " cannot be opened");
  const Dataset part = create(to, rows, cols, GDT_CInt16);
  std::vector<std::int16_t> line(2 * static_cast<std::size_t>(cols));
  for (int row = 0; row < rows; ++row) {
    for (const auto& [raster, flag] : {std::pair{whole.get(), GF_Read}, {part.get(), GF_Write}}) {
      check(raster->GetRasterBand(1)->RasterIO(flag, 0, row, cols, 1, line.data(), cols, 1,
                                               GDT_CInt16, 0, 0, nullptr) == CE_None,
            "a line cannot be copied");
    }
  }
}

void write_labels(const fs::path& path, int rows, int cols, int step) {
  const Dataset labels = create(path, rows, cols, GDT_Byte);
  std::vector<std::uint8_t> line(static_cast<std::size_t>(cols));
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      const int down = row / kBlockPx, across = col / kBlockPx;
      const bool labelled = down % step == 0 && across % step / 2 == 0;
      const int id = 1 + (row / 16 + col / 16) % kClasses;
      line[static_cast<std::size_t>(col)] = static_cast<std::uint8_t>(labelled ? id : 0);
    }
    check(labels->GetRasterBand(1)->RasterIO(GF_Write, 0, row, cols, 1, line.data(), cols, 1,
                                             GDT_Byte, 0, 0, nullptr) == CE_None,
          "labels cannot be written");
  }
}

int make(const std::vector<std::string>& words) {
  GDALAllRegister();
  const fs::path out = words.at(0);
  int rows = std::stoi(words.at(1)), cols = std::stoi(words.at(2));
  fs::create_directories(out / "pair");
  for (const auto& entry : fs::directory_iterator(words.at(4))) {
    if (entry.path().extension() != ".tiff") continue;
    const fs::path to = out / "pair" / entry.path().filename();
    if (rows > 0) {
      cut(entry.path(), to, rows, cols);
    } else {
      fs::create_symlink(fs::absolute(entry.path()), to);
    }
  }
  if (rows == 0) rows = 13509, cols = 21632;
  write_labels(out / "labels.tif", rows, cols, std::stoi(words.at(3)));
  return 0;
}

int peak(std::vector<std::string> words) {
  const long limit_mb = std::stol(words.at(0));
  std::vector<char*> arguments;
  for (std::size_t i = 1; i < words.size(); ++i) arguments.push_back(words[i].data());
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  struct rusage used {};
  check(child > 0 && ::wait4(child, &status, 0, &used) == child, "no process could be started");
  const long most_mb = used.ru_maxrss / 1000;
  std::cout << "peak memory " << most_mb << " MB of " << limit_mb << " allowed" << std::endl;
  check(most_mb <= limit_mb, "took " + std::to_string(most_mb) + " MB");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words.size() > 2 && words[0] == "peak") return peak({words.begin() + 1, words.end()});
    if (words.size() == 5) return make(words);
    std::cerr << "usage: see the head of large_scene.cpp\n";
  } catch (const std::exception& error) {
    std::cerr << "large_scene: " << error.what() << '\n';
  }
  return 1;
}
