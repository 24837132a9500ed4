#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/error.hpp"
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
  return {of.capacity, of.input.h,     of.input.w,
          of.input.c,  channel_stride, label_count(network_of(of))};
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

/// The moduli of a complex tensor.
Tensor moduli(int n, const Tensor& in) {
  Tensor out(n, {in.shape.c / 2, in.shape.h, in.shape.w});
  reference::magnitude_forward(n, in, out);
  return out;
}

/// Distance of the moduli that a mod_relu cuts from its threshold.
double mod_relu_margin(int n, const Tensor& in, std::span<const double> bias) {
  Tensor left = moduli(n, in);
  reference::for_each_element(n, left.shape, [&](int i, int c, int y, int x) {
    left.at(i, c, y, x) += bias[static_cast<std::size_t>(c)];
  });
  return relu_margin(n, left);
}

/// What a layer with a fused relu computes before it: the same layer without.
Tensor before_relu(const Problem& problem, std::size_t layer, const Batch& batch) {
  Problem bare = problem;
  bare.network.layers[layer].relu = false;
  ReferenceNetwork network = reference_of(bare);
  network.load(batch, true);
  const auto parameters = doubled(problem.parameters);
  for (std::size_t i = 0; i <= layer; ++i) network.forward_layer(i, parameters);
  return network.activation(layer + 1);
}

std::span<const double> array_of(const Problem& problem, std::span<const double> parameters,
                                 std::size_t layer) {
  const auto arrays = oida::parameters(problem.network);
  const auto at = std::ranges::find(arrays, static_cast<int>(layer), &Parameter::layer);
  return parameters.subspan(at->offset, at->size);
}

/// How clear one layer keeps of ties.
double layer_margin(const Problem& problem, const ReferenceNetwork& network, std::size_t i,
                    const Batch& batch) {
  const Layer& layer = problem.network.layers[i];
  const Tensor& in = network.activation(i);
  const Shape& out = network.activation(i + 1).shape;
  if (layer.relu) return relu_margin(batch.n, before_relu(problem, i, batch));
  switch (layer.kind) {
    case LayerKind::relu:
      return relu_margin(batch.n, in);
    case LayerKind::max_pool:
      return pool_margin(layer, batch.n, in, out);
    case LayerKind::complex_max_pool:
      return pool_margin(layer, batch.n, moduli(batch.n, in), {out.c / 2, out.h, out.w});
    case LayerKind::mod_relu: {
      const auto parameters = doubled(problem.parameters);
      return mod_relu_margin(batch.n, in, array_of(problem, parameters, i));
    }
    default:
      return std::numeric_limits<double>::infinity();
  }
}

double margin_of(const Problem& problem) {
  Batch batch = batch_of(problem.of, problem.of.input.c);
  fill(problem, batch);
  ReferenceNetwork network = reference_of(problem);
  network.forward(batch, doubled(problem.parameters), true);
  double margin = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < problem.network.layers.size(); ++i) {
    margin = std::min(margin, layer_margin(problem, network, i, batch));
  }
  return margin;
}

std::vector<float> parameters_with_biases(const Network& network, std::uint64_t seed) {
  auto values = initial_parameters(network, seed);
  for (const auto& array : parameters(network)) {
    if (array.fan_in > 0) continue;
    Random random(seed, Purpose::test, array.offset, 1);
    for (auto& value : std::span(values).subspan(array.offset, array.size)) {
      value = array.start + 0.2F * symmetric(random);
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
      {.name = "label_smoothing", .lines = {"conv 6 3 relu"}, .label_smoothing = 0.1F},
      {"group_norm", {"conv 6 3", "group_norm 3 relu", "conv 10 3 relu", "group_norm 1"}},
      {"group_norm_first", {"group_norm 3", "conv 6 3 relu"}},
      {"batch_norm", {"conv 6 3 relu", "batch_norm relu", "conv 10 3 relu", "batch_norm", "relu"}},
      {"batch_norm_first_and_flat",
       {"batch_norm", "conv 6 3 relu", "dense 7 relu", "batch_norm relu"}},
      {.name = "norms_of_larger_images",
       .lines = {"conv 6 3 relu", "batch_norm relu", "conv 4 3", "group_norm 2"},
       .input = {9, 13, 17}},
      {"upsample", {"conv 6 3 relu", "upsample 2", "conv 4 3 relu"}},
      {"conv_transpose", {"conv 6 3 relu", "conv_transpose 4 2 relu", "conv 4 3 relu"}},
      {"conv_transpose_overlapping", {"conv_transpose 4 3 stride 2", "conv 4 3 relu"}},
      {"concat", {"conv 6 3 relu as a", "conv 4 3 relu", "concat a", "conv 5 3 relu"}},
      {"concat_twice",
       {"conv 6 3 as a", "relu as b", "max_pool 2", "upsample 2", "conv 4 2 pad 1", "concat b",
        "conv 3 3 relu", "concat a", "conv 3 3"},
       {},
       false,
       {9, 7, 9}},
      {"complex", {"complex 3", "complex_conv 4 3 relu", "complex_conv 3 3", "dense 6 relu"}},
      {"complex_strided", {"complex 1", "complex_conv 4 3 stride 2 pad 0"}},
      {"complex_max_pool",
       {"complex 3", "complex_conv 4 3 relu", "complex_max_pool 2", "complex_conv 3 1",
        "complex_max_pool 2 stride 1"}},
      {"complex_average_pool", {"complex 3", "complex_conv 4 3", "average_pool 2", "magnitude"}},
      {"mod_relu", {"complex 3", "complex_conv 4 3", "mod_relu", "complex_conv 3 3"}},
      {"magnitude", {"complex 3", "complex_conv 4 3 relu", "magnitude", "conv 5 3 relu"}},
      {.name = "dense_output",
       .lines = {"conv 6 3 relu", "conv 4 3 relu"},
       .class_weights = weights,
       .unlabelled = true,
       .output = Output::dense,
       .label_smoothing = 0.2F},
      {.name = "small_unet",
       .lines = {"conv 4 3 relu as a", "max_pool 2", "conv 6 3 relu as b", "max_pool 2",
                 "conv 8 3 relu", "conv_transpose 6 2", "concat b", "conv 6 3 relu", "upsample 2",
                 "concat a", "conv 4 3 relu", "batch_norm relu"},
       .input = {9, 8, 12},
       .output = Output::dense},
      {.name = "unet_of_whole_blocks",
       .lines = {"conv 16 3 relu as a", "max_pool 2", "conv 32 3 relu", "conv_transpose 16 2 relu",
                 "concat a", "conv 16 3 relu"},
       .unlabelled = true,
       .input = {9, 8, 12},
       .output = Output::dense},
      {.name = "skips_around_pools",
       .lines = {"conv 16 3", "relu as a", "max_pool 2 as b", "upsample 2", "concat a",
                 "conv 16 3 as c", "max_pool 2", "relu", "concat b", "conv 32 3 relu", "upsample 2",
                 "concat a", "conv 16 3 relu", "concat c", "concat a"},
       .input = {9, 8, 12}},
      {"cv_cnn", to_lines(built_in("cv_cnn", {9, 9, 11}, 5)), {}, false, {9, 9, 11}},
      {.name = "unet",
       .lines = to_lines(built_in("unet", {9, 8, 12}, 5, Output::dense)),
       .input = {9, 8, 12},
       .output = Output::dense},
      {.name = "unet_plain",
       .lines = to_lines(built_in("unet_plain", {9, 8, 12}, 5, Output::dense)),
       .input = {9, 8, 12},
       .output = Output::dense},
      {"oceantda9", to_lines(built_in("oceantda9", {9, 9, 11}, 5)), {}, false, {9, 9, 11}},
      {"oceanlike", to_lines(built_in("oceanlike", {9, 12, 10}, 5)), {}, false, {9, 12, 10}}};
  return all;
}

const Case& case_of(const std::string& name) {
  return *std::ranges::find(cases(), name, &Case::name);
}

Network network_of(const Case& of) {
  return from_lines(of.lines, of.input, of.classes, of.output);
}

ReferenceNetwork reference_of(const Problem& problem) {
  return {problem.network, problem.of.class_weights, problem.of.capacity,
          static_cast<double>(problem.of.label_smoothing)};
}

Problem make_problem(const Case& of) {
  Problem problem{of, network_of(of), 0, {}};
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
    for (std::size_t k = 0; k < batch.sample_labels; ++k) {
      const int label = static_cast<int>(random.below(static_cast<std::uint32_t>(of.classes)));
      const bool without = of.unlabelled && (i == 1 || k % 5 == 3);
      batch.sample_label(i)[k] = without ? -1 : label;
    }
  }
}

std::unique_ptr<Engine> engine_for(const Problem& problem, const EngineKind& kind) {
  EngineOptions options;
  options.kind = kind.kind;
  options.threads = kind.threads;
  options.max_batch = problem.of.capacity;
  options.class_weights = problem.of.class_weights;
  options.label_smoothing = problem.of.label_smoothing;
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
  ReferenceNetwork network = reference_of(problem);
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
