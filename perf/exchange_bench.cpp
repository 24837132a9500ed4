// The sum over all ranks of an array of the reference model's size, under mpiexec: alone, and while
// the ranks train. Rank 0 reports; a time is the maximum over ranks.

#include <array>

#include <benchmark/benchmark.h>

#include "comm/comm.hpp"
#include "core/clock.hpp"
#include "workload.hpp"

namespace oida::perf {
namespace {

Comm* the_comm = nullptr;

/// Gathers nothing: the other ranks only take part.
class Silent : public benchmark::BenchmarkReporter {
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& /*report*/) override {}
};

double slowest_s(double seconds) {
  std::array<double, 1> values{seconds};
  the_comm->maximum(values);
  return values[0];
}

/// Runs `work` between barriers once an iteration, and `before` it something that does not count.
template <typename Work, typename Before>
std::vector<double> timed(benchmark::State& state, const Work& work, const Before& before) {
  std::vector<double> times_s;
  for (auto _ : state) {
    before();
    the_comm->barrier();
    const double begin_s = now_s();
    work();
    times_s.push_back(slowest_s(now_s() - begin_s));
    state.SetIterationTime(times_s.back());
  }
  return times_s;
}

void all_reduce(benchmark::State& state) {
  const std::size_t size = make_engine(reference_network(), {})->flat_size();
  const auto exchange = the_comm->make_exchange();
  AlignedVector<float> buffer(size, 1.0F);
  const auto times_s = timed(
      state,
      [&] {
        exchange->start(buffer);
        exchange->finish();
      },
      [] {});
  state.counters["median_ms"] = median(times_s) * 1e3;
  state.counters["MB"] = static_cast<double>(size * sizeof(float)) * 1e-6;
}

/// A step on one thread a rank, all the while a sum is in flight, as in the training loop with an
/// interleave of one; and in turn with it the same step on rank 0 alone.
void weak_scaling(benchmark::State& state) {
  Trainer trainer("fp32", 1);
  const auto exchange = the_comm->make_exchange();
  AlignedVector<float> buffer(trainer.engine().flat_size(), 1.0F);
  trainer.step();
  std::vector<double> alone_s;
  const auto together_s = timed(
      state,
      [&] {
        exchange->start(buffer);
        trainer.step([&] { exchange->poll(); });
        exchange->finish();
      },
      [&] {
        const double begin_s = now_s();
        if (the_comm->rank() == 0) trainer.step();
        alone_s.push_back(now_s() - begin_s);
      });
  state.counters["alone_ms"] = median(alone_s) * 1e3;
  state.counters["together_ms"] = median(together_s) * 1e3;
  state.counters["efficiency"] = median(alone_s) / median(together_s);
  state.counters["samples/s"] = kBatch * the_comm->size() / median(together_s);
}

BENCHMARK(all_reduce)->Iterations(200)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(weak_scaling)->Iterations(60)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oida::perf

int main(int argc, char** argv) {
  oida::Runtime runtime(argc, argv);
  oida::perf::the_comm = &runtime.comm();
  benchmark::Initialize(&argc, argv);
  benchmark::ConsoleReporter console(benchmark::ConsoleReporter::OO_Tabular);
  oida::perf::Silent silent;
  benchmark::BenchmarkReporter* reporter = &silent;
  if (runtime.comm().rank() == 0) reporter = &console;
  benchmark::RunSpecifiedBenchmarks(reporter);
  benchmark::Shutdown();
  runtime.finish();
  return 0;
}
