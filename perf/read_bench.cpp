// Reading a T3 scene of 324 MB against plain read(2) of the same files, from a cold and a warm page
// cache. Both loops only read: the scene's audit is in scene_audited.

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_writer.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

constexpr int kSide = 3000;
constexpr int kStripRows = 64;
constexpr std::int64_t kBytes = std::int64_t{9} * 4 * kSide * kSide;

const std::string& folder() {
  static const std::string made = [] {
    const std::string path = (fs::temp_directory_path() / "oida-read-bench").string();
    const std::size_t values = 9 * static_cast<std::size_t>(kSide) * kSide;
    write_t3_folder(path, kSide, kSide, std::vector<float>(values, 1.0F));
    return path;
  }();
  return made;
}

std::string file_of(std::string_view element) {
  return folder() + "/" + std::string(element) + ".bin";
}

/// The system forgets the pages of the files; they were synced when written.
void cool() {
  for (const auto element : kT3Elements) {
    const int file = ::open(file_of(element).c_str(), O_RDONLY);
    (void)::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    ::close(file);
  }
}

void read_plain() {
  std::vector<char> buffer(1 << 20);
  for (const auto element : kT3Elements) {
    const int file = ::open(file_of(element).c_str(), O_RDONLY);
    while (::read(file, buffer.data(), buffer.size()) > 0) benchmark::DoNotOptimize(buffer.data());
    ::close(file);
  }
}

/// Seconds spent in reading; the rest of the time is the audit.
double read_scene() {
  const auto scene = open_scene(folder());
  for (int row = 0; row < kSide; row += kStripRows) {
    const auto strip = scene->read({row, 0, std::min(kStripRows, kSide - row), kSide});
    benchmark::DoNotOptimize(strip.planes.data());
  }
  return scene->read_s();
}

void plain(benchmark::State& state) {
  folder();
  for (auto _ : state) {
    state.PauseTiming();
    if (state.range(0) != 0) cool();
    state.ResumeTiming();
    read_plain();
  }
  state.SetBytesProcessed(state.iterations() * kBytes);
}

void scene(benchmark::State& state) {
  folder();
  for (auto _ : state) {
    if (state.range(0) != 0) cool();
    state.SetIterationTime(read_scene());
  }
  state.SetBytesProcessed(state.iterations() * kBytes);
}

void scene_audited(benchmark::State& state) {
  folder();
  for (auto _ : state) {
    state.PauseTiming();
    if (state.range(0) != 0) cool();
    state.ResumeTiming();
    read_scene();
  }
  state.SetBytesProcessed(state.iterations() * kBytes);
}

BENCHMARK(plain)->ArgName("cold")->Arg(1)->Arg(0)->Iterations(5)->UseRealTime();
BENCHMARK(scene)->ArgName("cold")->Arg(1)->Arg(0)->Iterations(5)->UseManualTime();
BENCHMARK(scene_audited)->ArgName("cold")->Arg(1)->Arg(0)->Iterations(5)->UseRealTime();

}  // namespace
}  // namespace oida

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove_all(std::filesystem::temp_directory_path() / "oida-read-bench");
  return 0;
}
