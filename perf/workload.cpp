#include "workload.hpp"

#include <algorithm>

#include "core/rng.hpp"

namespace oida::perf {
namespace {

EngineOptions options_of(const std::string& precision, int threads) {
  EngineOptions options;
  options.precision = precision;
  options.threads = threads;
  options.max_batch = kBatch;
  return options;
}

void fill(Batch& batch) {
  Random random(1, Purpose::test);
  for (int i = 0; i < batch.n; ++i) {
    float* pixel = batch.sample(i);
    for (int p = 0; p < batch.rows * batch.cols; ++p, pixel += batch.channel_stride) {
      for (int c = 0; c < batch.channels; ++c) pixel[c] = static_cast<float>(random.normal());
    }
    for (std::size_t k = 0; k < batch.sample_labels; ++k) {
      batch.sample_label(i)[k] = static_cast<std::int32_t>(random.below(kClasses));
    }
  }
}

}  // namespace

Network reference_network() {
  return built_in("oceanlike", {kChannels, kPatchPx, kPatchPx}, kClasses);
}

Network unet_network() {
  return built_in("unet_plain", {kChannels, kTilePx, kTilePx}, kClasses, Output::dense);
}

Trainer::Trainer(const std::string& precision, int threads)
    : Trainer(options_of(precision, threads)) {}

Trainer::Trainer(const EngineOptions& options, const Network& network)
    : engine_(make_engine(network, options)),
      batch_(make_batch(*engine_)),
      parameters_(engine_->flat_size()),
      gradient_(engine_->flat_size()),
      optimizer_({}, engine_->flat_size()) {
  fill(batch_);
  engine_->import_flat(initial_parameters(engine_->network(), 1), parameters_);
}

void Trainer::step(const std::function<void()>& between) {
  Poll poll;
  if (between) {
    poll = [&between](std::size_t) { between(); };
  }
  engine_->step(batch_, parameters_, gradient_, poll);
  optimizer_.update(parameters_, gradient_, 0.01F, steps_++);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace oida::perf
