// Reading a T3 scene of 324 MB against plain read(2) of the same files, from a cold and a warm page
// cache, pair by pair. Every window of the scene is audited.

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/clock.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_writer.hpp"
#include "polsar/wishart.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

constexpr int kSide = 3000;
constexpr int kStripRows = 64;
constexpr std::int64_t kBytes = std::int64_t{9} * 4 * kSide * kSide;

/// Planes of a T3 of four looks; a prime number of pixels repeats.
std::vector<float> speckle() {
  constexpr std::size_t kPixels = std::size_t{kSide} * kSide, kPeriod = 65537;
  const Coherency cover = cholesky({{{1, 0.3, 0}, {0.3, 0.5, 0}, {0, 0, 0.2}}});
  std::vector<std::array<double, 9>> samples;
  for (std::size_t i = 0; i < kPeriod; ++i) {
    Random random(1, Purpose::speckle, i);
    samples.push_back(wishart_t3(cover, 4, 1, random));
  }
  std::vector<float> planes;
  for (std::size_t e = 0; e < kT3Elements.size(); ++e) {
    for (std::size_t i = 0; i < kPixels; ++i) {
      planes.push_back(static_cast<float>(samples[i % kPeriod][e]));
    }
  }
  return planes;
}

const std::string& folder() {
  static const std::string made = [] {
    const std::string path = (fs::temp_directory_path() / "oida-read-bench").string();
    write_t3_folder(path, kSide, kSide, speckle());
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

/// Seconds of a whole pass, of which `reading_s` without the audit.
struct Pass {
  double whole_s = 0, reading_s = 0;
};

Pass read_scene() {
  const double begin_s = now_s();
  const auto scene = open_scene(folder());
  for (int row = 0; row < kSide; row += kStripRows) {
    const auto strip = scene->read({row, 0, std::min(kStripRows, kSide - row), kSide});
    benchmark::DoNotOptimize(strip.planes.data());
  }
  return {now_s() - begin_s, scene->read_s()};
}

double read_plain_s() {
  const double begin_s = now_s();
  read_plain();
  return now_s() - begin_s;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

/// Pairs of plain and scene, so that what else the machine does meets both: medians of the times
/// and of the pairs' ratios.
void pairs(benchmark::State& state) {
  folder();
  const bool cold = state.range(0) != 0;
  std::vector<double> plain_s, scene_s, share, share_without_audit;
  for (auto _ : state) {
    if (cold) cool();
    plain_s.push_back(read_plain_s());
    if (cold) cool();
    const Pass pass = read_scene();
    scene_s.push_back(pass.whole_s);
    share.push_back(plain_s.back() / pass.whole_s);
    share_without_audit.push_back(plain_s.back() / pass.reading_s);
    state.SetIterationTime(pass.whole_s);
  }
  state.SetBytesProcessed(state.iterations() * kBytes);
  state.counters["plain_ms"] = 1e3 * median(plain_s);
  state.counters["scene_ms"] = 1e3 * median(scene_s);
  state.counters["share"] = median(share);
  state.counters["share_without_audit"] = median(share_without_audit);
}

BENCHMARK(pairs)->ArgName("cold")->Arg(1)->Arg(0)->Iterations(15)->UseManualTime();

}  // namespace
}  // namespace oida

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove_all(std::filesystem::temp_directory_path() / "oida-read-bench");
  return 0;
}
