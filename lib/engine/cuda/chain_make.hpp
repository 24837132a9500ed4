#pragma once
// Chain: making it.

#include <type_traits>

#include "engine/cuda/chain.hpp"

namespace oida::cuda {

template <typename Card, typename T>
Chain<Card, T>::Chain(Card& card, const Network& network, const EngineOptions& options)
    : card_(card),
      layout_(network),
      samples_(options.max_batch),
      classes_(network.classes),
      sample_rows_(label_count(network)),
      smoothing_(options.label_smoothing) {
  allocate_shared(network, options);
  allocate_results();
  add_stages(network);
  allocate_backward();
  allocate_scratch();
}

template <typename Card, typename T>
void Chain<Card, T>::allocate_shared(const Network& network, const EngineOptions& options) {
  const auto image = images(network);
  const auto n = static_cast<std::size_t>(samples_);
  const auto classes = static_cast<std::size_t>(classes_);
  input_ = card_.template allocate<float>(n * image[0].size(), "batch");
  loaded_ = card_.template allocate<T>(n * image[0].size(), "activations");
  labels_ = card_.template allocate<std::int32_t>(n * sample_rows_, "batch");
  words_ = card_.template allocate<StepWords>(1, "batch");
  parameters_ = card_.template allocate<float>(layout_.size(), "parameters and gradient");
  gradient_ = card_.template allocate<float>(layout_.size(), "parameters and gradient");
  if constexpr (std::is_same_v<T, float>) {
    weights_ = parameters_;
  } else {
    weights_ = card_.template allocate<T>(layout_.size(), "weight copies and masks");
  }
  const auto& given = options.class_weights;
  const std::vector<float> weights = given.empty() ? std::vector<float>(classes, 1.0F) : given;
  class_weights_ = card_.template allocate<float>(classes, "batch");
  card_.upload(class_weights_, weights.data(), classes * sizeof(float));
}

template <typename Card, typename T>
void Chain<Card, T>::allocate_results() {
  const auto n = static_cast<std::size_t>(samples_);
  const std::size_t logits = n * sample_rows_ * static_cast<std::size_t>(classes_);
  logits_ = card_.template allocate<float>(logits, "activations");
  probabilities_ = card_.template allocate<float>(logits, "activations");
  row_losses_ = card_.template allocate<float>(n * sample_rows_, "activations");
  row_correct_ = card_.template allocate<std::int32_t>(n * sample_rows_, "activations");
  losses_ = card_.template allocate<float>(tallies(n), "activations");
  correct_ = card_.template allocate<std::int32_t>(tallies(n), "activations");
}

template <typename Card, typename T>
void Chain<Card, T>::add_stages(const Network& network) {
  const auto image = images(network);
  const auto with = skips(network);
  stages_.reserve(network.layers.size());
  bool trained_before = false;
  for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
    Stage stage{.layer = network.layers[layer], .in = image[layer], .out = image[layer + 1]};
    stage.trained = layout_.of_layer(layer);
    stage.name = stage.trained != nullptr ? stage.trained->name : to_lines(network)[layer];
    stage.needs_d_in = trained_before;
    stage.with = with[layer];
    stage.input = stages_.empty() ? loaded_ : stages_.back().output;
    trained_before = trained_before || stage.trained != nullptr;
    prepare(stage);
    stages_.push_back(stage);
  }
}

/// Two arrays take turns: the derivative by a layer's output, and that by its input.
template <typename Card, typename T>
void Chain<Card, T>::allocate_backward() {
  std::size_t largest = 0;
  for (const Stage& stage : stages_) {
    largest = std::max({largest, elements(stage.in), elements(stage.out)});
  }
  T* slope = card_.template allocate<T>(largest, "activation gradients");
  T* other = card_.template allocate<T>(largest, "activation gradients");
  std::size_t final_from = layout_.size();
  for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
    stage->slope = slope;
    stage->d_in = other;
    if (stage->needs_d_in) std::swap(slope, other);
    if (stage->trained != nullptr) final_from = stage->trained->begin;
    stage->gradient_begin = final_from;
    if (stage->with >= 0) {
      const Stage& with = stages_[static_cast<std::size_t>(stage->with)];
      stage->d_with = card_.template allocate<T>(elements(with.out), "activation gradients");
    }
  }
}

template <typename Card, typename T>
void Chain<Card, T>::allocate_scratch() {
  std::size_t sums = 0, weight = 0, pieced = 0, sets = 0;
  for (const Stage& stage : stages_) {
    if (stage.trained == nullptr) continue;
    const auto stride = static_cast<std::size_t>(stage.out.stride);
    const Index rows = static_cast<Index>(samples_) * stage.out.pixels();
    sums = std::max(sums, std::max(sums_of(rows), sums_of(pieces(stage.in))) * stride);
    if (stage.is_norm() || stage.is(LayerKind::mod_relu)) {
      pieced = std::max(pieced, pieces(stage.in) * stride);
    }
    if (stage.is_norm()) sets = std::max<std::size_t>(sets, set_count(stage));
    if (stage.is(LayerKind::complex_conv)) {
      weight = std::max<std::size_t>(weight, stage.complex_weights().expanded());
    } else if (!std::is_same_v<T, float>) {
      weight = std::max(weight, stage.trained->weight.room);
    }
  }
  sums_[0] = card_.template allocate<float>(sums, "scratch");
  sums_[1] = card_.template allocate<float>(sums / 2 + 1, "scratch");
  weight_gradient_ = card_.template allocate<T>(weight, "scratch");
  for (float*& array : pieces_) array = card_.template allocate<float>(pieced, "scratch");
  for (float*& array : set_sums_) array = card_.template allocate<float>(sets, "scratch");
}

template <typename Card, typename T>
void Chain<Card, T>::prepare(Stage& stage) {
  stage.output = card_.template allocate<T>(elements(stage.out), "activations");
  const char* masks = "weight copies and masks";
  switch (stage.layer.kind) {
    case LayerKind::conv:
    case LayerKind::conv_transpose:
    case LayerKind::complex_conv:
      return prepare_conv(stage);
    case LayerKind::group_norm:
    case LayerKind::batch_norm:
      return prepare_norm(stage);
    case LayerKind::average_pool:
      stage.plan = card_.add_average_pool(stage.pool(), samples_, element_of<T>());
      return;
    case LayerKind::max_pool:
    case LayerKind::complex_max_pool:
      stage.where = card_.template allocate<std::uint16_t>(elements(stage.out), masks);
      return;
    case LayerKind::dropout:
      stage.keep = card_.template allocate<std::uint8_t>(elements(stage.in), masks);
      return;
    default:
      return;
  }
}

/// A conv_transpose is the backward pass of a convolution from its output to its input.
template <typename Card, typename T>
void Chain<Card, T>::prepare_conv(Stage& stage) {
  const Layer& layer = stage.layer;
  const bool turned = stage.is(LayerKind::conv_transpose);
  stage.plan =
      card_.add_conv({stage.trained->name, samples_, turned ? stage.out : stage.in,
                      turned ? stage.in : stage.out, layer.kernel, layer.stride,
                      turned ? 0 : layer.pad, turned || stage.needs_d_in, element_of<T>()});
  if (stage.is(LayerKind::complex_conv)) {
    stage.expanded =
        card_.template allocate<T>(stage.complex_weights().expanded(), "weight copies and masks");
  }
}

template <typename Card, typename T>
void Chain<Card, T>::prepare_norm(Stage& stage) {
  for (float** array : {&stage.moments.mean, &stage.moments.variance}) {
    *array = card_.template allocate<float>(set_count(stage), "activations");
  }
}

template <typename Card, typename T>
std::vector<FlatRange> Chain<Card, T>::moments() const {
  std::vector<FlatRange> ranges;
  for (const Trained& trained : layout_.trained()) {
    for (const FlatArray& array : {trained.mean, trained.variance}) {
      if (array.room > 0) ranges.push_back({array.at, array.room});
    }
  }
  return ranges;
}

template <typename Card, typename T>
std::vector<std::string> Chain<Card, T>::kernels() const {
  std::vector<std::string> lines;
  for (const Stage& stage : stages_) {
    if (stage.is(LayerKind::conv) || stage.is(LayerKind::conv_transpose) ||
        stage.is(LayerKind::complex_conv)) {
      const auto more = card_.conv_lines(stage.plan);
      lines.insert(lines.end(), more.begin(), more.end());
      continue;
    }
    const bool product = stage.is(LayerKind::dense);
    const bool mean = stage.is(LayerKind::average_pool);
    const std::string who = product ? "cublas" : mean ? "cudnn" : "own";
    lines.push_back(stage.name + " forward: " + who);
    lines.push_back(stage.name + " backward: " + who);
  }
  return lines;
}

}  // namespace oida::cuda
