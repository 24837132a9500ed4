#include "engine/checks.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace oida {
namespace {

void check_from_one(const char* key, int value) {
  if (value < 1) throw InputError(key, std::to_string(value) + ", allowed: 1 up");
}

std::string shape_text(int channels, int rows, int cols, int stride) {
  return std::to_string(channels) + " x " + std::to_string(rows) + " x " + std::to_string(cols) +
         " at a channel stride of " + std::to_string(stride);
}

void check_shape(const Engine& engine, const Batch& batch) {
  const Shape& in = engine.network().input;
  const int stride = engine.channel_stride();
  const bool fits = batch.channels == in.c && batch.rows == in.h && batch.cols == in.w &&
                    batch.channel_stride == stride;
  if (!fits) {
    throw Error("batch", shape_text(batch.channels, batch.rows, batch.cols, batch.channel_stride) +
                             ", the engine takes " + shape_text(in.c, in.h, in.w, stride));
  }
  const std::size_t labels = label_count(engine.network());
  if (batch.sample_labels == labels) return;
  throw Error("batch", std::to_string(batch.sample_labels) + " labels a sample, the engine takes " +
                           std::to_string(labels));
}

void check_labels(const Engine& engine, const Batch& batch) {
  const int classes = engine.network().classes;
  const auto used =
      std::span(batch.labels).first(static_cast<std::size_t>(batch.n) * batch.sample_labels);
  const auto bad =
      std::ranges::find_if(used, [&](int label) { return label < -1 || label >= classes; });
  if (bad != used.end()) {
    throw Error("batch", "label " + std::to_string(*bad) + ", allowed: -1 to " +
                             std::to_string(classes - 1));
  }
}

}  // namespace

void check_options(const Network& network, const EngineOptions& options) {
  check_from_one("device.threads", options.threads);
  check_from_one("train.batch", options.max_batch);
  if (!(options.label_smoothing >= 0.0F && options.label_smoothing < 1.0F)) {
    throw InputError("train.label_smoothing",
                     std::to_string(options.label_smoothing) + ", allowed: 0 up to but not 1");
  }
  const auto& weights = options.class_weights;
  if (!weights.empty() && weights.size() != static_cast<std::size_t>(network.classes)) {
    throw InputError("train.class_weights", std::to_string(weights.size()) + " weights for " +
                                                std::to_string(network.classes) + " classes");
  }
  for (const float weight : weights) {
    if (!std::isfinite(weight) || weight < 0.0F) {
      throw InputError("train.class_weights", std::to_string(weight) + ", allowed: 0 up");
    }
  }
}

void check_batch(const Engine& engine, const Batch& batch, bool named) {
  check_shape(engine, batch);
  const int most = engine.options().max_batch;
  if (batch.n < 1 || batch.n > most) {
    throw Error("batch",
                std::to_string(batch.n) + " samples, allowed: 1 to " + std::to_string(most));
  }
  const auto n = static_cast<std::size_t>(batch.n);
  const std::size_t patches =
      named ? batch.places.size() : batch.input.size() / batch.sample_floats();
  if (patches < n || batch.labels.size() < n * batch.sample_labels) {
    throw Error("batch", "room for fewer than its " + std::to_string(n) + " samples");
  }
  check_labels(engine, batch);
}

void check_size(const char* what, std::size_t size, std::size_t expected) {
  if (size == expected) return;
  throw Error("engine", std::string(what) + " has " + std::to_string(size) +
                            " floats, needed: " + std::to_string(expected));
}

}  // namespace oida
