// One pass of each optimizer over the reference workload's flat array.

#include <benchmark/benchmark.h>

#include "core/clock.hpp"
#include "workload.hpp"

namespace oida::perf {
namespace {

void update(benchmark::State& state, OptimizerOptions::Kind kind) {
  const std::size_t size = make_engine(reference_network(), {})->flat_size();
  OptimizerOptions options;
  options.kind = kind;
  Optimizer optimizer(options, size);
  AlignedVector<float> x(size, 1.0F);
  const AlignedVector<float> gradient(size, 1e-3F);
  std::vector<double> times_s;
  std::uint64_t step = 0;
  for (auto _ : state) {
    const double begin_s = now_s();
    optimizer.update(x, gradient, 1e-3F, step++);
    times_s.push_back(now_s() - begin_s);
    state.SetIterationTime(times_s.back());
  }
  // Read: x, gradient, state; written: x, state.
  const double bytes = static_cast<double>(size * sizeof(float) * (3 + 2 * optimizer.slots()));
  state.counters["median_ms"] = median(times_s) * 1e3;
  state.counters["GB/s"] = bytes / median(times_s) * 1e-9;
}

BENCHMARK_CAPTURE(update, sgd, OptimizerOptions::Kind::sgd)
    ->Iterations(200)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(update, adagrad_window, OptimizerOptions::Kind::adagrad_window)
    ->Iterations(200)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oida::perf

BENCHMARK_MAIN();
