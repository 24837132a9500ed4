// The sum over all ranks of an array of the reference model's size, under mpiexec: alone, and while
// the ranks train. Rank 0 reports; a time is the maximum over ranks.

#include <array>
#include <ctime>
#include <memory>
#include <span>
#include <utility>
#include <vector>

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

enum class Way { messages, buffer, window };

/// One exchange of `size` floats by messages alone, through the memory of the node with a copy each
/// way, or written and read in that memory.
class Travel {
 public:
  Travel(Way way, std::size_t size) : way_(way), size_(size), buffer_(size) {
    ExchangeOptions options;
    options.floats = size;
    options.windows = way == Way::window ? 1 : 0;
    options.ranks_per_node = way == Way::messages ? 1 : 0;
    exchange_ = the_comm->make_exchange(options);
  }

  void start(std::span<const float> x) {
    float* to = way_ == Way::window ? exchange_->window(0).data() : buffer_.data();
    const float weight = 1.0F / static_cast<float>(the_comm->size());
    for (std::size_t i = 0; i < size_; ++i) to[i] = weight * x[i];
    spend([&] {
      if (way_ == Way::window) {
        exchange_->start_window(0, size_);
      } else {
        exchange_->start(buffer_);
      }
    });
  }
  void poll() {
    spend([&] { exchange_->poll(); });
  }
  void finish(std::span<float> x) {
    spend([&] { exchange_->finish(); });
    const float* from = way_ == Way::window ? exchange_->window_sum(0).data() : buffer_.data();
    for (std::size_t i = 0; i < size_; ++i) x[i] = from[i];
  }
  /// Seconds inside the exchange since the last call.
  double take_exposed_s() { return std::exchange(exposed_s_, 0.0); }

 private:
  template <typename Work>
  void spend(const Work& work) {
    const double begin_s = now_s();
    work();
    exposed_s_ += now_s() - begin_s;
  }

  Way way_;
  std::size_t size_;
  AlignedVector<float> buffer_;
  std::unique_ptr<Exchange> exchange_;
  double exposed_s_ = 0;
};

double cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Wall time of the slowest rank and processor time of all, an entry an iteration.
struct Spent {
  std::vector<double> wall_s;
  std::vector<double> cpu_s;
};

/// Contributions written, summed, the sum read.
void round_trip(Travel& travel, std::span<float> x, Spent& spent) {
  the_comm->barrier();
  const double begin_cpu_s = cpu_s();
  const double begin_s = now_s();
  travel.start(x);
  travel.finish(x);
  std::array<double, 1> used{cpu_s() - begin_cpu_s};
  spent.wall_s.push_back(slowest_s(now_s() - begin_s));
  the_comm->sum(used);
  spent.cpu_s.push_back(used[0]);
}

/// Median over pairs.
double ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size(); ++i) ratios.push_back(a[i] / b[i]);
  return median(ratios);
}

/// By each way in turn; `_x` are ratios of messages to that way.
void ways(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  AlignedVector<float> x(size, 1.0F);
  Travel by_messages(Way::messages, size);
  Travel by_buffer(Way::buffer, size);
  Travel by_window(Way::window, size);
  Spent messages;
  Spent buffer;
  Spent window;
  for (auto _ : state) {
    round_trip(by_messages, x, messages);
    round_trip(by_buffer, x, buffer);
    round_trip(by_window, x, window);
    state.SetIterationTime(window.wall_s.back());
  }
  state.counters["MB"] = static_cast<double>(size * sizeof(float)) * 1e-6;
  state.counters["messages_ms"] = median(messages.wall_s) * 1e3;
  state.counters["buffer_ms"] = median(buffer.wall_s) * 1e3;
  state.counters["window_ms"] = median(window.wall_s) * 1e3;
  state.counters["buffer_x"] = ratio(messages.wall_s, buffer.wall_s);
  state.counters["window_x"] = ratio(messages.wall_s, window.wall_s);
  state.counters["buffer_cpu_x"] = ratio(messages.cpu_s, buffer.cpu_s);
  state.counters["window_cpu_x"] = ratio(messages.cpu_s, window.cpu_s);
}

/// A step on one thread a rank, all the while a sum is in flight, as in the training loop with an
/// interleave of one; and in turn with it the same step on rank 0 alone.
void weak_scaling(benchmark::State& state, Way way) {
  Trainer trainer("fp32", 1);
  const std::size_t size = trainer.engine().flat_size();
  AlignedVector<float> x(size, 1.0F);
  Travel travel(way, size);
  trainer.step();
  std::vector<double> alone_s;
  std::vector<double> exposed_s;
  const auto together_s = timed(
      state,
      [&] {
        travel.start(x);
        trainer.step([&] { travel.poll(); });
        travel.finish(x);
      },
      [&] {
        exposed_s.push_back(slowest_s(travel.take_exposed_s()));
        const double begin_s = now_s();
        if (the_comm->rank() == 0) trainer.step();
        alone_s.push_back(now_s() - begin_s);
      });
  state.counters["alone_ms"] = median(alone_s) * 1e3;
  state.counters["together_ms"] = median(together_s) * 1e3;
  state.counters["exposed_ms"] = median(exposed_s) * 1e3;
  state.counters["efficiency"] = median(alone_s) / median(together_s);
  state.counters["samples/s"] = kBatch * the_comm->size() / median(together_s);
}

BENCHMARK(ways)->Arg(931'048)->Arg(4'000'000)->Iterations(200)->UseManualTime()->Unit(
    benchmark::kMillisecond);
BENCHMARK_CAPTURE(weak_scaling, messages, Way::messages)
    ->Iterations(60)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(weak_scaling, window, Way::window)
    ->Iterations(60)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

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
