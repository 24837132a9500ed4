#include "oida/problem.hpp"

#include <algorithm>
#include <cmath>

#include "core/rng.hpp"
#include "engine/canonical_engine.hpp"
#include "host_card.hpp"

namespace oida::test {

namespace {

constexpr int kSide_px = 40;
constexpr int kFeatures = 3;
constexpr int kClasses = 3;

FeatureWindow make_scene() {
  FeatureWindow scene;
  scene.rows = kSide_px;
  scene.cols = kSide_px;
  scene.channels = kFeatures;
  scene.values.resize(static_cast<std::size_t>(kSide_px * kSide_px * kFeatures));
  scene.valid.assign(static_cast<std::size_t>(kSide_px * kSide_px), 1);
  for (int row = 0; row < kSide_px; ++row) {
    for (int col = 0; col < kSide_px; ++col) {
      Random random(11, Purpose::test, static_cast<std::uint64_t>(row * kSide_px + col));
      for (int k = 0; k < kFeatures; ++k) {
        const double mean = (row / 8) % kClasses == k ? 1.0 : -0.5;
        scene.pixel(row, col)[k] = static_cast<float>(mean + 0.7 * random.normal());
      }
    }
  }
  return scene;
}

}  // namespace

Problem::Problem() : store(5, std::vector<float>(kFeatures, 1.0F)) {
  store.add(0, {0, 0, kSide_px, kSide_px}, make_scene());
  for (const auto pixel : permutation(kSide_px * kSide_px, Random(3, Purpose::test))) {
    const int row = static_cast<int>(pixel) / kSide_px;
    const int col = static_cast<int>(pixel) % kSide_px;
    const Sample sample{0, row, col, static_cast<std::uint8_t>((row / 8) % kClasses)};
    auto& part = training.size() < 400 ? training : validation;
    if (validation.size() < 60) part.push_back(sample);
  }
  std::sort(training.begin(), training.end(), [](const Sample& a, const Sample& b) {
    return std::pair(a.row, a.col) < std::pair(b.row, b.col);
  });
}

Network smooth_network() {
  return from_lines({"conv 6 3", "average_pool 2", "dense 8"}, {kFeatures, 5, 5}, kClasses);
}

std::unique_ptr<Engine> make_unit_engine(const std::string& kind, int unit, int batch) {
  EngineOptions options;
  options.max_batch = batch;
  if (kind == "card") return make_host_card_engine(smooth_network(), options);
  if (kind == "mixed") {
    return in_canonical_order(make_unit_engine(unit % 2 == 0 ? "card" : "reference", unit, batch));
  }
  options.kind = kind;
  return make_engine(smooth_network(), options);
}

UnitKit::UnitKit(const Problem& problem, int units, int unit, int batch, std::uint64_t seed,
                 const std::string& engine) {
  for (const auto index : make_shard(problem.training, ShardKind::stratified, 5, units, unit)) {
    shard_.push_back(problem.training[index]);
  }
  engine_ = make_unit_engine(engine, unit, batch);
  SamplerOptions sampling;
  sampling.batch = batch;
  sampling.seed = seed;
  sampling.unit = unit;
  sampler_ = std::make_unique<Sampler>(shard_, kClasses, sampling);
  unit_ = std::make_unique<Unit>(*engine_, *sampler_, problem.store, OptimizerOptions{});
  engine_->import_flat(initial_parameters(engine_->network(), 1), unit_->x());
}

double distance(std::span<const float> a, std::span<const float> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return most;
}

double magnitude(std::span<const float> a) {
  double most = 0;
  for (const float value : a) most = std::max(most, std::abs(static_cast<double>(value)));
  return most;
}

}  // namespace oida::test
