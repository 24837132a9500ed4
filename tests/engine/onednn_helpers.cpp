#include "onednn_helpers.hpp"

#include <algorithm>
#include <cmath>

#include "core/rng.hpp"

namespace oida::test {

void fill_batch(Batch& batch, int n, int classes, std::uint64_t seed) {
  Random random(seed, Purpose::test);
  batch.n = n;
  batch.seed = seed;
  batch.step = 3;
  for (int i = 0; i < n; ++i) {
    float* sample = batch.sample(i);
    for (int p = 0; p < batch.rows * batch.cols; ++p) {
      for (int c = 0; c < batch.channels; ++c) {
        sample[p * batch.channel_stride + c] = 2.0F * random.uniform() - 1.0F;
      }
    }
    for (std::size_t k = 0; k < batch.sample_labels; ++k) {
      const auto label = static_cast<int>(random.below(static_cast<std::uint32_t>(classes)));
      batch.sample_label(i)[k] = n > 2 && i == n - 1 ? -1 : label;
    }
  }
}

Outcome run(Engine& engine, const Batch& batch, const std::vector<float>& canonical) {
  AlignedVector<float> flat(engine.flat_size());
  AlignedVector<float> gradient(engine.flat_size(), std::nanf(""));
  engine.import_flat(canonical, flat);
  Outcome outcome;
  outcome.result = engine.step(batch, flat, gradient, {});
  outcome.gradient.resize(canonical.size());
  engine.export_flat(gradient, outcome.gradient);
  outcome.probabilities.resize(static_cast<std::size_t>(batch.n) * batch.sample_labels *
                               static_cast<std::size_t>(engine.network().classes));
  engine.predict(batch, flat, outcome.probabilities);
  return outcome;
}

Batch with_stride(const Batch& batch, const Engine& engine) {
  Batch other = make_batch(engine);
  other.n = batch.n;
  other.seed = batch.seed;
  other.step = batch.step;
  std::ranges::copy(batch.labels, other.labels.begin());
  for (int i = 0; i < batch.n; ++i) {
    for (int p = 0; p < batch.rows * batch.cols; ++p) {
      for (int c = 0; c < batch.channels; ++c) {
        other.sample(i)[p * other.channel_stride + c] =
            batch.sample(i)[p * batch.channel_stride + c];
      }
    }
  }
  return other;
}

double relative_error(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    size += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(difference / (size > 0.0 ? size : 1.0));
}

std::unique_ptr<Engine> engine_of(const std::string& kind, const Network& network,
                                  EngineOptions options) {
  options.kind = kind;
  return make_engine(network, options);
}

}  // namespace oida::test
