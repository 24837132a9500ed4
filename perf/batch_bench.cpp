// Making a batch: 64 patches cut from a scene in memory, straight into the engine's input, and what
// share of a training step that is.

#include <benchmark/benchmark.h>

#include "core/clock.hpp"
#include "core/rng.hpp"
#include "data/sampler.hpp"
#include "workload.hpp"

namespace oida::perf {
namespace {

constexpr int kScenePx = 1024;
constexpr Window kScene{0, 0, kScenePx, kScenePx};

FeatureWindow random_scene() {
  FeatureWindow scene{kScenePx, kScenePx, kChannels, {}, {}};
  Random random(2, Purpose::test);
  scene.values.resize(std::size_t{kScenePx} * kScenePx * kChannels);
  for (float& value : scene.values) value = random.uniform();
  scene.valid.assign(std::size_t{kScenePx} * kScenePx, 1);
  return scene;
}

std::vector<Sample> random_samples(int count) {
  Random random(3, Purpose::test);
  const auto place = [&] {
    return kPatchPx + static_cast<std::int32_t>(random.below(kScenePx - 2 * kPatchPx));
  };
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) {
    samples.push_back({0, place(), place(), static_cast<std::uint8_t>(random.below(kClasses))});
  }
  return samples;
}

double median_step_s() {
  constexpr int kSteps = 30;
  Trainer trainer("fp32", 1);
  std::vector<double> times_s;
  for (int i = 0; i < kSteps; ++i) {
    const double begin_s = now_s();
    trainer.step();
    times_s.push_back(now_s() - begin_s);
  }
  return median(times_s);
}

void fill_batch(benchmark::State& state, Augmentation augmentation) {
  PatchStore store(kPatchPx, std::vector<float>(kChannels, 1.0F));
  store.add(0, kScene, random_scene());
  SamplerOptions options;
  options.batch = kBatch;
  options.augmentation = augmentation;
  Sampler sampler(random_samples(100'000), kClasses, options);
  Batch batch = make_batch(Trainer("fp32", 1).engine());
  std::vector<double> times_s;
  std::uint64_t step = 0;
  for (auto _ : state) {
    const double begin_s = now_s();
    sampler.fill(step++, store, batch);
    times_s.push_back(now_s() - begin_s);
    state.SetIterationTime(times_s.back());
  }
  state.counters["median_ms"] = median(times_s) * 1e3;
  state.counters["us_a_patch"] = median(times_s) * 1e6 / kBatch;
  state.counters["of_step_fp32_1_thread"] = median(times_s) / median_step_s();
}

BENCHMARK_CAPTURE(fill_batch, plain, Augmentation::none)
    ->Iterations(300)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fill_batch, dihedral, Augmentation::dihedral)
    ->Iterations(300)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oida::perf

BENCHMARK_MAIN();
