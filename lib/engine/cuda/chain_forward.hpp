#pragma once
// Chain: making it, forward and loss.

#include <type_traits>

#include "engine/cuda/chain.hpp"

namespace oida::cuda {

template <typename Card, typename T>
Chain<Card, T>::Chain(Card& card, const Network& network, const EngineOptions& options)
    : card_(card), layout_(network), samples_(options.max_batch), classes_(network.classes) {
  allocate_shared(network, options);
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
  labels_ = card_.template allocate<std::int32_t>(n, "batch");
  words_ = card_.template allocate<StepWords>(1, "batch");
  parameters_ = card_.template allocate<float>(layout_.size(), "parameters and gradient");
  gradient_ = card_.template allocate<float>(layout_.size(), "parameters and gradient");
  logits_ = card_.template allocate<float>(n * classes, "activations");
  losses_ = card_.template allocate<float>(n, "activations");
  correct_ = card_.template allocate<std::int32_t>(n, "activations");
  probabilities_ = card_.template allocate<float>(n * classes, "activations");
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
void Chain<Card, T>::add_stages(const Network& network) {
  const auto image = images(network);
  stages_.reserve(network.layers.size());
  bool trained_before = false;
  for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
    Stage stage{.layer = network.layers[layer], .in = image[layer], .out = image[layer + 1]};
    stage.trained = layout_.of_layer(layer);
    stage.name = stage.trained != nullptr ? stage.trained->name : to_lines(network)[layer];
    stage.needs_d_in = trained_before;
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
    if (stage->trained != nullptr) final_from = stage->trained->weight;
    stage->gradient_begin = final_from;
  }
}

template <typename Card, typename T>
void Chain<Card, T>::allocate_scratch() {
  std::size_t sums = 0;
  std::size_t weight = 0;
  for (const Stage& stage : stages_) {
    if (stage.trained == nullptr) continue;
    const Index rows = static_cast<Index>(samples_) * stage.out.pixels();
    sums = std::max(sums, sums_of(rows) * static_cast<std::size_t>(stage.out.stride));
    weight = std::max(weight, stage.trained->weight_size());
  }
  sums_[0] = card_.template allocate<float>(sums, "scratch");
  sums_[1] = card_.template allocate<float>(sums / 2 + 1, "scratch");
  if constexpr (!std::is_same_v<T, float>) {
    weight_gradient_ = card_.template allocate<T>(weight, "scratch");
  }
}

template <typename Card, typename T>
void Chain<Card, T>::prepare(Stage& stage) {
  const Layer& layer = stage.layer;
  stage.output = card_.template allocate<T>(elements(stage.out), "activations");
  if (layer.kind == LayerKind::conv) {
    stage.plan = card_.add_conv({stage.trained->name, samples_, stage.in, stage.out, layer.kernel,
                                 layer.stride, layer.pad, stage.needs_d_in, element_of<T>()});
  } else if (layer.kind == LayerKind::average_pool) {
    stage.plan = card_.add_average_pool(stage.pool(), samples_, element_of<T>());
  } else if (layer.kind == LayerKind::max_pool) {
    stage.where =
        card_.template allocate<std::uint16_t>(elements(stage.out), "weight copies and masks");
  } else if (layer.kind == LayerKind::dropout) {
    stage.keep =
        card_.template allocate<std::uint8_t>(elements(stage.in), "weight copies and masks");
  }
}

template <typename Card, typename T>
void Chain<Card, T>::forward(bool training) {
  const Stage& first = stages_.front();
  card_.run(count(first.in), LoadInput<T>{input_, words_, first.in.size(), loaded_});
  if constexpr (!std::is_same_v<T, float>) {
    card_.run(static_cast<Index>(layout_.size()), Convert<float, T>{parameters_, weights_});
  }
  for (Stage& stage : stages_) forward(stage, training);
}

template <typename Card, typename T>
void Chain<Card, T>::forward(Stage& stage, bool training) {
  const Index size = count(stage.out);
  switch (stage.layer.kind) {
    case LayerKind::max_pool:
      card_.run(size, MaxPool<T>{stage.pool(), stage.input, stage.output, stage.where});
      break;
    case LayerKind::average_pool:
      card_.average_pool_forward(stage.plan, stage.input, stage.output);
      break;
    case LayerKind::relu:
      card_.run(size, Relu<T>{stage.input, stage.output});
      break;
    case LayerKind::dropout:
      forward_dropout(stage, training);
      break;
    default:
      forward_trained(stage);
  }
}

template <typename Card, typename T>
void Chain<Card, T>::forward_dropout(Stage& stage, bool training) {
  const float rate = stage.layer.rate;
  if (!training) {
    card_.run(count(stage.out), Convert<T, T>{stage.input, stage.output});
    return;
  }
  const auto layer = static_cast<std::uint32_t>(&stage - stages_.data());
  const DropoutMask mask{words_, layer, dropped_below(rate), stage.in, stage.keep};
  card_.run(static_cast<Index>(samples_) * mask.blocks(), mask);
  card_.run(count(stage.out),
            DropoutApply<T>{stage.input, stage.keep, dropout_scale(rate), stage.output});
}

template <typename Card, typename T>
void Chain<Card, T>::forward_trained(Stage& stage) {
  if (stage.layer.kind == LayerKind::conv) {
    card_.conv_forward(stage.plan, stage.input, weight(stage), stage.output);
  } else {
    multiply_forward(stage);
  }
  if (is_last(stage)) {
    add_bias(stage, logits_);
  } else {
    add_bias(stage, stage.output);
  }
}

/// out [n, rows] = in [n, width] weight [rows, width]^T
template <typename Card, typename T>
void Chain<Card, T>::multiply_forward(Stage& stage) {
  Product product;
  product.rows = samples_;
  product.cols = static_cast<int>(stage.trained->rows);
  product.inner = static_cast<int>(stage.in.size());
  product.a = stage.input;
  product.b = weight(stage);
  product.b_turned = true;
  product.element = element_of<T>();
  product.c = is_last(stage) ? static_cast<void*>(logits_) : stage.output;
  product.c_element = is_last(stage) ? Element::f32 : element_of<T>();
  card_.multiply(product);
}

template <typename Card, typename T>
template <typename Value>
void Chain<Card, T>::add_bias(Stage& stage, Value* values) {
  const float* bias = parameters_ + stage.trained->bias;
  card_.run(count(stage.out),
            AddBias<Value>{values, bias, static_cast<Index>(stage.out.stride), stage.layer.relu});
}

template <typename Card, typename T>
void Chain<Card, T>::softmax() {
  card_.run(static_cast<Index>(samples_), Softmax{logits_, classes_, probabilities_});
}

template <typename Card, typename T>
void Chain<Card, T>::loss() {
  card_.run(static_cast<Index>(samples_),
            Loss<T>{logits_, labels_, class_weights_, words_, classes_, stages_.back().slope,
                    losses_, correct_});
}

}  // namespace oida::cuda
