#include "engine/reference/reference_network.hpp"

#include <algorithm>

#include "engine/dropout.hpp"
#include "engine/reference/layers.hpp"
#include "engine/reference/taps.hpp"

namespace oida {
namespace {

using reference::Tensor;

std::size_t bytes_of(const std::vector<Tensor>& tensors) {
  std::size_t bytes = 0;
  for (const auto& tensor : tensors) bytes += tensor.values.size() * sizeof(double);
  return bytes;
}

}  // namespace

ReferenceNetwork::ReferenceNetwork(const Network& network, std::vector<float> class_weights,
                                   int max_batch)
    : network_(network),
      class_weights_(std::move(class_weights)),
      weight_(network.layers.size()),
      bias_(network.layers.size()),
      gradient_begin_(network.layers.size()),
      labels_(static_cast<std::size_t>(max_batch)),
      sample_weights_(static_cast<std::size_t>(max_batch)),
      keep_(network.layers.size()),
      probabilities_(max_batch, Shape{network.classes, 1, 1}) {
  const auto shape = shapes(network);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    activations_.emplace_back(max_batch, shape[i]);
    derivatives_.emplace_back(i == 0 ? 0 : max_batch, shape[i]);
  }
  place_parameters();
  for (std::size_t layer = 0; layer < layers(); ++layer) {
    if (network.layers[layer].kind == LayerKind::dropout) {
      keep_[layer].resize(activations_[layer].values.size());
    }
  }
}

void ReferenceNetwork::place_parameters() {
  for (const auto& parameter : parameters(network_)) {
    auto& range = parameter.fan_in == 0 ? bias_ : weight_;
    range[static_cast<std::size_t>(parameter.layer)] = {parameter.offset, parameter.size};
  }
  std::size_t begin = parameter_count(network_);
  for (std::size_t layer = layers(); layer-- > 0;) {
    if (weight_[layer].size > 0) begin = weight_[layer].offset;
    gradient_begin_[layer] = begin;
  }
}

void ReferenceNetwork::load(const Batch& batch, bool training) {
  n_ = batch.n;
  training_ = training;
  load_input(batch);
  load_labels(batch);
  if (training) draw_masks(batch);
}

void ReferenceNetwork::load_input(const Batch& batch) {
  Tensor& input = activations_[0];
  reference::for_each_element(n_, input.shape, [&](int i, int c, int y, int x) {
    const auto pixel = static_cast<std::size_t>(y) * static_cast<std::size_t>(batch.cols) +
                       static_cast<std::size_t>(x);
    const auto place = pixel * static_cast<std::size_t>(batch.channel_stride);
    input.at(i, c, y, x) = batch.sample(i)[place + static_cast<std::size_t>(c)];
  });
}

void ReferenceNetwork::load_labels(const Batch& batch) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(n_); ++i) {
    const std::int32_t label = batch.labels[i];
    labels_[i] = label;
    const bool weighted = label >= 0 && !class_weights_.empty();
    const double weight = weighted ? class_weights_[static_cast<std::size_t>(label)] : 1.0;
    sample_weights_[i] = label < 0 ? 0.0 : weight;
  }
}

void ReferenceNetwork::draw_masks(const Batch& batch) {
  for (std::size_t layer = 0; layer < layers(); ++layer) {
    if (keep_[layer].empty()) continue;
    const std::size_t size = activations_[layer].shape.size();
    for (int i = 0; i < n_; ++i) {
      const auto keep = std::span(keep_[layer]).subspan(static_cast<std::size_t>(i) * size, size);
      dropout_mask(batch, static_cast<int>(layer), network_.layers[layer].rate, i, keep);
    }
  }
}

void ReferenceNetwork::forward_layer(std::size_t layer, std::span<const double> parameters) {
  const Layer& what = network_.layers[layer];
  const Tensor& in = activations_[layer];
  Tensor& out = activations_[layer + 1];
  const reference::Weights weights{parameters.subspan(weight_[layer].offset, weight_[layer].size),
                                   parameters.subspan(bias_[layer].offset, bias_[layer].size)};
  switch (what.kind) {
    case LayerKind::conv:
      reference::conv_forward(what, n_, in, weights, out);
      break;
    case LayerKind::dense:
      reference::dense_forward(n_, in, weights, out);
      break;
    case LayerKind::max_pool:
      reference::max_pool_forward(what, n_, in, out);
      break;
    case LayerKind::average_pool:
      reference::average_pool_forward(what, n_, in, out);
      break;
    case LayerKind::relu:
      reference::relu_forward(n_, in, out);
      break;
    case LayerKind::dropout:
      if (training_) {
        reference::dropout_apply(n_, keep_[layer], dropout_scale(what.rate), in, out);
      } else {
        out.values = in.values;
      }
      break;
  }
  if (what.relu) reference::relu_forward(n_, out, out);
}

StepResult ReferenceNetwork::loss() {
  const Tensor& logits = activations_.back();
  const auto n = static_cast<std::size_t>(n_);
  StepResult result;
  for (std::size_t i = 0; i < n; ++i) {
    if (labels_[i] < 0) continue;
    const int sample = static_cast<int>(i);
    result.loss += sample_weights_[i] * reference::cross_entropy(logits, sample, labels_[i]) / n_;
    const double* row = logits.sample(sample);
    if (std::max_element(row, row + network_.classes) - row == labels_[i]) ++result.correct;
  }
  reference::softmax(n_, logits, probabilities_);
  reference::cross_entropy_backward(std::span(labels_).first(n),
                                    std::span(sample_weights_).first(n), probabilities_,
                                    derivatives_.back());
  return result;
}

void ReferenceNetwork::backward_layer(std::size_t layer, std::span<const double> parameters,
                                      std::span<double> gradient) {
  const Layer& what = network_.layers[layer];
  Tensor& d_out = derivatives_[layer + 1];
  if (what.relu) reference::relu_backward(n_, activations_[layer + 1], d_out, d_out);
  const reference::WeightGradients gradients{
      gradient.subspan(weight_[layer].offset, weight_[layer].size),
      gradient.subspan(bias_[layer].offset, bias_[layer].size)};
  std::ranges::fill(gradients.weight, 0.0);
  std::ranges::fill(gradients.bias, 0.0);
  if (what.kind == LayerKind::conv) {
    reference::conv_backward_weights(what, n_, activations_[layer], d_out, gradients);
  } else if (what.kind == LayerKind::dense) {
    reference::dense_backward_weights(n_, activations_[layer], d_out, gradients);
  }
  if (layer > 0) backward_through(layer, parameters);
}

void ReferenceNetwork::backward_through(std::size_t layer, std::span<const double> parameters) {
  const Layer& what = network_.layers[layer];
  const Tensor& d_out = derivatives_[layer + 1];
  Tensor& d_in = derivatives_[layer];
  const reference::Weights weights{parameters.subspan(weight_[layer].offset, weight_[layer].size),
                                   {}};
  switch (what.kind) {
    case LayerKind::conv:
      reference::conv_backward_data(what, n_, d_out, weights, d_in);
      break;
    case LayerKind::dense:
      reference::dense_backward_data(n_, d_out, weights, d_in);
      break;
    case LayerKind::max_pool:
      reference::max_pool_backward(what, n_, activations_[layer], d_out, d_in);
      break;
    case LayerKind::average_pool:
      reference::average_pool_backward(what, n_, d_out, d_in);
      break;
    case LayerKind::relu:
      reference::relu_backward(n_, activations_[layer + 1], d_out, d_in);
      break;
    case LayerKind::dropout:
      reference::dropout_apply(n_, keep_[layer], dropout_scale(what.rate), d_out, d_in);
      break;
  }
}

void ReferenceNetwork::forward(const Batch& batch, std::span<const double> parameters,
                               bool training) {
  load(batch, training);
  for (std::size_t layer = 0; layer < layers(); ++layer) forward_layer(layer, parameters);
}

StepResult ReferenceNetwork::step(const Batch& batch, std::span<const double> parameters,
                                  std::span<double> gradient) {
  forward(batch, parameters, true);
  const StepResult result = loss();
  for (std::size_t layer = layers(); layer-- > 0;) backward_layer(layer, parameters, gradient);
  return result;
}

std::span<const double> ReferenceNetwork::probabilities() {
  reference::softmax(n_, activations_.back(), probabilities_);
  return std::span(probabilities_.values)
      .first(static_cast<std::size_t>(n_) * static_cast<std::size_t>(network_.classes));
}

std::size_t ReferenceNetwork::activation_bytes() const {
  return bytes_of(activations_) + probabilities_.values.size() * sizeof(double);
}

std::size_t ReferenceNetwork::derivative_bytes() const {
  return bytes_of(derivatives_);
}

std::size_t ReferenceNetwork::mask_bytes() const {
  std::size_t bytes = 0;
  for (const auto& keep : keep_) bytes += keep.size();
  return bytes;
}

}  // namespace oida
