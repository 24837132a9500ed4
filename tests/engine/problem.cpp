#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/rng.hpp"
#include "engine/reference/layers.hpp"
#include "engine/reference/taps.hpp"
#include "host_card.hpp"

namespace oida::test {
namespace {

using reference::Tensor;

float symmetric(Random& random) {
  return 2.0F * random.uniform() - 1.0F;
}

Batch batch_of(const Case& of, int channel_stride) {
  return {of.capacity, of.input.h, of.input.w, of.input.c, channel_stride};
}

/// Distance of the values that a relu cuts from 0; values that are 0 because an earlier layer made
/// them so decide nothing.
double relu_margin(int n, const Tensor& in) {
  double margin = std::numeric_limits<double>::infinity();
  reference::for_each_element(n, in.shape, [&](int i, int c, int y, int x) {
    const double value = std::abs(in.at(i, c, y, x));
    if (value != 0.0) margin = std::min(margin, value);
  });
  return margin;
}

/// Distance of the largest from the second largest value of a window.
double pool_margin(const Layer& layer, int n, const Tensor& in, const Shape& out) {
  double margin = std::numeric_limits<double>::infinity();
  reference::for_each_element(n, out, [&](int i, int c, int y, int x) {
    double first = -std::numeric_limits<double>::infinity();
    double second = first;
    reference::for_each_tap(layer, in.shape, y, x, [&](int iy, int ix, int, int) {
      const double value = in.at(i, c, iy, ix);
      second = std::max(second, std::min(first, value));
      first = std::max(first, value);
    });
    if (first != 0.0 || second != 0.0) margin = std::min(margin, first - second);
  });
  return margin;
}

/// What a layer with a fused relu computes before it.
Tensor before_relu(const Problem& problem, const ReferenceNetwork& network, std::size_t layer) {
  const auto parameters = doubled(problem.parameters);
  reference::Weights weights;
  for (const auto& array : oida::parameters(problem.network)) {
    if (array.layer != static_cast<int>(layer)) continue;
    auto& part = array.fan_in == 0 ? weights.bias : weights.weight;
    part = std::span(parameters).subspan(array.offset, array.size);
  }
  const Layer& what = problem.network.layers[layer];
  const Tensor& in = network.activation(layer);
  Tensor out(problem.of.capacity, network.activation(layer + 1).shape);
  if (what.kind == LayerKind::conv) {
    reference::conv_forward(what, problem.of.n, in, weights, out);
  } else {
    reference::dense_forward(problem.of.n, in, weights, out);
  }
  return out;
}

double margin_of(const Problem& problem) {
  Batch batch = batch_of(problem.of, problem.of.input.c);
  fill(problem, batch);
  ReferenceNetwork network(problem.network, {}, problem.of.capacity);
  network.forward(batch, doubled(problem.parameters), true);
  double margin = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < problem.network.layers.size(); ++i) {
    const Layer& layer = problem.network.layers[i];
    const Tensor& in = network.activation(i);
    if (layer.relu) {
      margin = std::min(margin, relu_margin(batch.n, before_relu(problem, network, i)));
    } else if (layer.kind == LayerKind::relu) {
      margin = std::min(margin, relu_margin(batch.n, in));
    } else if (layer.kind == LayerKind::max_pool) {
      const Shape& out = network.activation(i + 1).shape;
      margin = std::min(margin, pool_margin(layer, batch.n, in, out));
    }
  }
  return margin;
}

std::vector<float> parameters_with_biases(const Network& network, std::uint64_t seed) {
  auto values = initial_parameters(network, seed);
  for (const auto& array : parameters(network)) {
    if (array.fan_in > 0) continue;
    Random random(seed, Purpose::test, array.offset, 1);
    for (auto& value : std::span(values).subspan(array.offset, array.size)) {
      value = 0.2F * symmetric(random);
    }
  }
  return values;
}

}  // namespace

const std::vector<Case>& cases() {
  static const std::vector<float> weights{0.5F, 2.0F, 1.0F, 0.25F, 3.0F};
  static const std::vector<Case> all{
      {"dense_only", {}},
      {"conv", {"conv 6 3 relu", "conv 10 3 relu"}},
      {"conv_without_relu", {"conv 6 3", "conv 10 3"}},
      {"conv_strided", {"conv 6 3 stride 2 relu", "conv 10 3 pad 0 relu"}},
      {"conv_wide_windows", {"conv 6 5 pad 1 relu", "conv 10 1 relu"}},
      {"conv_of_whole_blocks", {"conv 16 3 relu", "conv 32 3 relu", "conv 48 3 relu"}},
      {"max_pool", {"conv 6 3 relu", "max_pool 2", "conv 10 3 relu"}},
      {"max_pool_overlapping", {"conv 6 3", "max_pool 3 stride 2", "conv 10 3 relu"}},
      {"max_pool_first", {"max_pool 2", "conv 10 3 relu"}},
      {"average_pool", {"conv 6 3 relu", "average_pool 2", "conv 10 3 relu"}},
      {"average_pool_overlapping", {"conv 6 3 relu", "average_pool 3 stride 2"}},
      {"dense", {"conv 6 3 relu", "dense 11 relu", "dense 7"}},
      {"relu", {"conv 6 3", "relu", "max_pool 2", "dense 11", "relu"}},
      {"dropout",
       {"conv 6 3 relu", "dropout 0.3", "conv 10 3 relu", "dense 11 relu", "dropout 0.5"}},
      {"class_weights", {"conv 6 3 relu", "max_pool 2"}, weights},
      {"unlabelled", {"conv 6 3 relu", "max_pool 2"}, weights, true},
      {.name = "full_batch", .lines = {"conv 6 3 relu", "max_pool 2"}, .n = 4},
      {.name = "one_sample", .lines = {"conv 6 3 relu", "max_pool 2"}, .n = 1},
      {.name = "one_channel", .lines = {"conv 6 3 relu", "max_pool 2"}, .input = {1, 7, 9}},
      {.name = "many_channels", .lines = {"conv 6 3 relu", "max_pool 2"}, .input = {21, 7, 9}},
      {"oceantda9", to_lines(built_in("oceantda9", {9, 9, 11}, 5)), {}, false, {9, 9, 11}},
      {"oceanlike", to_lines(built_in("oceanlike", {9, 12, 10}, 5)), {}, false, {9, 12, 10}}};
  return all;
}

const Case& case_of(const std::string& name) {
  return *std::ranges::find(cases(), name, &Case::name);
}

Problem make_problem(const Case& of) {
  Problem problem{of, from_lines(of.lines, of.input, of.classes), 0, {}};
  for (problem.seed = 1; problem.seed < 200; ++problem.seed) {
    problem.parameters = parameters_with_biases(problem.network, problem.seed);
    if (margin_of(problem) > Problem::kMargin) return problem;
  }
  throw std::runtime_error(of.name + ": no seed keeps clear of ties");
}

void fill(const Problem& problem, Batch& batch) {
  const Case& of = problem.of;
  batch.n = of.n;
  batch.seed = problem.seed;
  batch.step = 17;
  for (int i = 0; i < of.n; ++i) {
    Random random(problem.seed, Purpose::test, static_cast<std::uint64_t>(i));
    for (std::size_t k = 0; k < batch.sample_floats(); ++k) {
      const bool padding = k % static_cast<std::size_t>(batch.channel_stride) >=
                           static_cast<std::size_t>(batch.channels);
      batch.sample(i)[k] = padding ? 0.0F : symmetric(random);
    }
    const int label = static_cast<int>(random.below(static_cast<std::uint32_t>(of.classes)));
    batch.labels[static_cast<std::size_t>(i)] = of.unlabelled && i == 1 ? -1 : label;
  }
}

std::unique_ptr<Engine> engine_for(const Problem& problem, const EngineKind& kind) {
  EngineOptions options;
  options.kind = kind.kind;
  options.threads = kind.threads;
  options.max_batch = problem.of.capacity;
  options.class_weights = problem.of.class_weights;
  if (kind.kind == "cuda_host") return make_host_card_engine(problem.network, options);
  return make_engine(problem.network, options);
}

Outcome step_of(Engine& engine, const Problem& problem) {
  Batch batch = make_batch(engine);
  fill(problem, batch);
  AlignedVector<float> flat(engine.flat_size());
  AlignedVector<float> gradient(engine.flat_size(), std::numeric_limits<float>::quiet_NaN());
  engine.import_flat(problem.parameters, flat);
  Outcome outcome;
  outcome.result = engine.step(batch, flat, gradient, {});
  outcome.gradient.resize(problem.parameters.size());
  engine.export_flat(gradient, outcome.gradient);
  return outcome;
}

Expected expected_of(const Problem& problem) {
  Batch batch = batch_of(problem.of, problem.of.input.c);
  fill(problem, batch);
  ReferenceNetwork network(problem.network, problem.of.class_weights, problem.of.capacity);
  const auto parameters = doubled(problem.parameters);
  Expected expected;
  expected.gradient.resize(parameters.size());
  expected.result = network.step(batch, parameters, expected.gradient);
  network.forward(batch, parameters, false);
  const auto probabilities = network.probabilities();
  expected.probabilities.assign(probabilities.begin(), probabilities.end());
  return expected;
}

std::vector<double> doubled(std::span<const float> values) {
  return {values.begin(), values.end()};
}

double distance(std::span<const float> a, std::span<const double> b) {
  double apart = 0.0;
  double norm = 0.0;
  for (std::size_t k = 0; k < b.size(); ++k) {
    apart += (a[k] - b[k]) * (a[k] - b[k]);
    norm += b[k] * b[k];
  }
  return std::sqrt(apart / norm);
}

}  // namespace oida::test
