// The training steps of the reference workload and of the U-Net: whole, and kernel by kernel.

#include <cstdio>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "engine/onednn/peak.hpp"
#include "workload.hpp"

namespace oida::perf {
namespace {

constexpr int kWarmUp = 5;
constexpr int kSgemmSize = 2048;

/// Seconds of every step, and of every kernel in every step; the last "kernel" is the update.
struct Times {
  std::vector<double> step_s;
  std::vector<double> cpu_s;  // of all threads
  std::vector<std::vector<double>> kernel_s;

  void add(double begin_s, const std::vector<double>& ends_s, double cpu) {
    cpu_s.push_back(cpu);
    kernel_s.resize(ends_s.size());
    double before_s = begin_s;
    for (std::size_t i = 0; i < ends_s.size(); ++i) {
      kernel_s[i].push_back(ends_s[i] - before_s);
      before_s = ends_s[i];
    }
    step_s.push_back(before_s - begin_s);
  }
};

/// What is timed: `name` of the benchmark.
struct Work {
  std::string name;
  Network (*network)();
  int samples;
  int steps;
};

EngineOptions options_of(const Work& work, const std::string& precision, int threads) {
  EngineOptions options;
  options.precision = precision;
  options.threads = threads;
  options.max_batch = work.samples;
  return options;
}

bool is_conv_or_dense(const std::string& kernel) {
  return kernel.starts_with("conv") || kernel.starts_with("dense");
}

/// Share of the step that is spent outside convolutions and dense layers.
double share_outside(const std::vector<std::string>& kernels, const Times& times) {
  double inside_s = 0.0;
  double all_s = 0.0;
  for (std::size_t i = 0; i < times.kernel_s.size(); ++i) {
    const double kernel_s = median(times.kernel_s[i]);
    all_s += kernel_s;
    if (i < kernels.size() && is_conv_or_dense(kernels[i])) inside_s += kernel_s;
  }
  return 1.0 - inside_s / all_s;
}

/// On stderr, so that the report on stdout stays what Google Benchmark makes it.
void print_kernels(const std::string& title, const std::vector<std::string>& kernels,
                   const Times& times) {
  std::fprintf(stderr, "\n%s: medians of %zu steps\n", title.c_str(), times.step_s.size());
  const double step_s = median(times.step_s);
  for (std::size_t i = 0; i < times.kernel_s.size(); ++i) {
    const double kernel_s = median(times.kernel_s[i]);
    const std::string name = i < kernels.size() ? kernels[i] : "optimizer: own, one pass";
    std::fprintf(stderr, "%8.3f ms %5.1f %%  %s\n", kernel_s * 1e3, 100.0 * kernel_s / step_s,
                 name.c_str());
  }
}

void report(benchmark::State& state, const Trainer& trainer, const Times& times, double sgemm) {
  const double step_s = median(times.step_s);
  const Network& network = trainer.engine().network();
  const int samples = trainer.engine().options().max_batch;
  const double gflops = training_flops(network) * samples / step_s * 1e-9;
  state.counters["step_ms"] = step_s * 1e3;
  state.counters["cpu_ms"] = median(times.cpu_s) * 1e3;
  state.counters["samples/s"] = samples / step_s;
  state.counters["pixels/s"] = samples * network.input.h * network.input.w / step_s;
  state.counters["GFLOP/s"] = gflops;
  state.counters["sgemm"] = sgemm;
  state.counters["of_sgemm"] = gflops / sgemm;
  state.counters["outside"] = share_outside(trainer.engine().kernels(), times);
}

void step(benchmark::State& state, const Work& work, const std::string& precision, int threads) {
  try {
    Trainer trainer(options_of(work, precision, threads), work.network());
    for (int i = 0; i < kWarmUp; ++i) trainer.step();
    const double before = sgemm_gflops(kSgemmSize, threads);
    Times times;
    std::vector<double> ends_s;
    for (auto _ : state) {
      ends_s.clear();
      const std::clock_t begin = std::clock();
      const double begin_s = now_s();
      trainer.step([&] { ends_s.push_back(now_s()); });
      ends_s.push_back(now_s());
      times.add(begin_s, ends_s, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
      state.SetIterationTime(times.step_s.back());
    }
    const double after = sgemm_gflops(kSgemmSize, threads);
    report(state, trainer, times, (before + after) / 2);
    print_kernels(work.name + ", " + precision + ", " + std::to_string(threads) + " threads",
                  trainer.engine().kernels(), times);
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}

void add_benchmarks(const Work& work) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  for (const std::string precision : {"fp32", "bf16"}) {
    for (int threads = 1; threads <= cores; threads *= 2) {
      const std::string name = work.name + "/" + precision + "/threads:" + std::to_string(threads);
      benchmark::RegisterBenchmark(name.c_str(), step, work, precision, threads)
          ->Iterations(work.steps)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace
}  // namespace oida::perf

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  oida::perf::add_benchmarks({"step", oida::perf::reference_network, oida::perf::kBatch, 60});
  oida::perf::add_benchmarks({"unet", oida::perf::unet_network, oida::perf::kTiles, 12});
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
