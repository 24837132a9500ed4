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
                                   int max_batch, double label_smoothing)
    : network_(network),
      class_weights_(std::move(class_weights)),
      label_smoothing_(label_smoothing),
      row_count_(label_count(network)),
      skips_(skips(network)),
      arrays_(network.layers.size()),
      gradient_begin_(network.layers.size()),
      labels_(static_cast<std::size_t>(max_batch) * row_count_),
      row_weights_(labels_.size()),
      keep_(network.layers.size()),
      rows_(static_cast<int>(labels_.size()), Shape{network.classes, 1, 1}),
      probabilities_(rows_),
      d_rows_(rows_) {
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
  std::size_t begin = parameter_count(network_);
  std::ranges::fill(gradient_begin_, begin);
  for (const auto& parameter : parameters(network_)) {
    const auto layer = static_cast<std::size_t>(parameter.layer);
    Arrays& arrays = arrays_[layer];
    const std::string name = parameter.name.substr(parameter.name.find('/') + 1);
    Range& range = name == "weight" ? arrays.weight
                   : name == "bias" ? arrays.bias
                   : name == "mean" ? arrays.mean
                                    : arrays.variance;
    range = {parameter.offset, parameter.size};
    gradient_begin_[layer] = std::min(gradient_begin_[layer], parameter.offset);
  }
  for (std::size_t layer = layers(); layer-- > 0;) {
    begin = std::min(begin, gradient_begin_[layer]);
    gradient_begin_[layer] = begin;
  }
}

reference::Weights ReferenceNetwork::weights_of(std::size_t layer,
                                                std::span<const double> parameters) const {
  const Arrays& arrays = arrays_[layer];
  const auto part = [&](const Range& range) {
    return parameters.subspan(range.offset, range.size);
  };
  return {part(arrays.weight), part(arrays.bias), part(arrays.mean), part(arrays.variance)};
}

reference::WeightGradients ReferenceNetwork::gradients_of(std::size_t layer,
                                                          std::span<double> gradient) const {
  const Arrays& arrays = arrays_[layer];
  const auto part = [&](const Range& range) { return gradient.subspan(range.offset, range.size); };
  return {part(arrays.weight), part(arrays.bias), part(arrays.mean), part(arrays.variance)};
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
  for (std::size_t row = 0; row < rows(); ++row) {
    const std::int32_t label = batch.labels[row];
    labels_[row] = label;
    const bool weighted = label >= 0 && !class_weights_.empty();
    const double weight = weighted ? class_weights_[static_cast<std::size_t>(label)] : 1.0;
    row_weights_[row] = label < 0 ? 0.0 : weight;
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
  const reference::Weights weights = weights_of(layer, parameters);
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
    case LayerKind::group_norm:
      reference::group_norm_forward(what, n_, in, weights, out);
      break;
    case LayerKind::batch_norm:
      reference::batch_norm_forward(n_, training_, in, weights, out);
      break;
    case LayerKind::upsample:
      reference::upsample_forward(what, n_, in, out);
      break;
    case LayerKind::conv_transpose:
      reference::conv_transpose_forward(what, n_, in, weights, out);
      break;
    case LayerKind::concat:
      reference::concat_forward(n_, in, activations_[static_cast<std::size_t>(skips_[layer]) + 1],
                                out);
      break;
    case LayerKind::complex:
      reference::complex_forward(what, n_, in, out);
      break;
    case LayerKind::complex_conv:
      reference::complex_conv_forward(what, n_, in, weights, out);
      break;
    case LayerKind::complex_max_pool:
      reference::complex_max_pool_forward(what, n_, in, out);
      break;
    case LayerKind::mod_relu:
      reference::mod_relu_forward(n_, in, weights, out);
      break;
    case LayerKind::magnitude:
      reference::magnitude_forward(n_, in, out);
      break;
  }
  if (what.relu) reference::relu_forward(n_, out, out);
}

double ReferenceNetwork::divisor() const {
  if (network_.output == Output::classes) return n_;
  const auto used = std::span(labels_).first(rows());
  return static_cast<double>(std::max<std::ptrdiff_t>(
      1, std::ranges::count_if(used, [](int label) { return label >= 0; })));
}

StepResult ReferenceNetwork::loss() {
  reference::gather_rows(n_, activations_.back(), rows_);
  reference::softmax(static_cast<int>(rows()), rows_, probabilities_);
  std::ranges::fill(d_rows_.values, 0.0);
  const double all = divisor();
  StepResult result;
  for (std::size_t i = 0; i < rows(); ++i) {
    if (labels_[i] < 0) continue;
    const int row = static_cast<int>(i);
    const reference::Target target{labels_[i], row_weights_[i] / all, label_smoothing_};
    result.loss += reference::cross_entropy(rows_, row, target);
    reference::cross_entropy_backward(probabilities_, row, target, d_rows_);
    const double* logits = rows_.sample(row);
    if (std::max_element(logits, logits + network_.classes) - logits == labels_[i]) {
      ++result.correct;
    }
  }
  reference::scatter_rows(n_, d_rows_, derivatives_.back());
  return result;
}

/// A named output also learns from every concat that took it.
void ReferenceNetwork::backward_from_concats(std::size_t layer) {
  for (std::size_t later = layer + 1; later < layers(); ++later) {
    if (skips_[later] != static_cast<int>(layer)) continue;
    reference::concat_backward_with(n_, derivatives_[later + 1], derivatives_[layer + 1]);
  }
}

void ReferenceNetwork::backward_layer(std::size_t layer, std::span<const double> parameters,
                                      std::span<double> gradient) {
  Tensor& d_out = derivatives_[layer + 1];
  backward_from_concats(layer);
  if (network_.layers[layer].relu) {
    reference::relu_backward(n_, activations_[layer + 1], d_out, d_out);
  }
  const reference::WeightGradients gradients = gradients_of(layer, gradient);
  for (const auto& part : {gradients.weight, gradients.bias, gradients.mean, gradients.variance}) {
    std::ranges::fill(part, 0.0);
  }
  backward_weights(layer, parameters, gradients);
  if (layer > 0) backward_through(layer, parameters);
}

void ReferenceNetwork::backward_weights(std::size_t layer, std::span<const double> parameters,
                                        const reference::WeightGradients& gradients) {
  const Layer& what = network_.layers[layer];
  const Tensor& in = activations_[layer];
  const Tensor& d_out = derivatives_[layer + 1];
  const reference::Weights weights = weights_of(layer, parameters);
  switch (what.kind) {
    case LayerKind::conv:
      return reference::conv_backward_weights(what, n_, in, d_out, gradients);
    case LayerKind::dense:
      return reference::dense_backward_weights(n_, in, d_out, gradients);
    case LayerKind::conv_transpose:
      return reference::conv_transpose_backward_weights(what, n_, in, d_out, gradients);
    case LayerKind::complex_conv:
      return reference::complex_conv_backward_weights(what, n_, in, d_out, gradients);
    case LayerKind::group_norm:
      return reference::group_norm_backward_weights(what, n_, in, d_out, gradients);
    case LayerKind::batch_norm:
      return reference::batch_norm_backward_weights(n_, in, d_out, weights, gradients);
    case LayerKind::mod_relu:
      return reference::mod_relu_backward(n_, in, d_out, weights, nullptr, &gradients);
    default:
      return;
  }
}

void ReferenceNetwork::backward_through(std::size_t layer, std::span<const double> parameters) {
  const Layer& what = network_.layers[layer];
  const Tensor& in = activations_[layer];
  const Tensor& d_out = derivatives_[layer + 1];
  Tensor& d_in = derivatives_[layer];
  const reference::Weights weights = weights_of(layer, parameters);
  switch (what.kind) {
    case LayerKind::conv:
      reference::conv_backward_data(what, n_, d_out, weights, d_in);
      break;
    case LayerKind::dense:
      reference::dense_backward_data(n_, d_out, weights, d_in);
      break;
    case LayerKind::max_pool:
      reference::max_pool_backward(what, n_, in, d_out, d_in);
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
    case LayerKind::group_norm:
      reference::group_norm_backward_data(what, n_, in, d_out, weights, d_in);
      break;
    case LayerKind::batch_norm:
      reference::batch_norm_backward_data(n_, in, d_out, weights, d_in);
      break;
    case LayerKind::upsample:
      reference::upsample_backward(what, n_, d_out, d_in);
      break;
    case LayerKind::conv_transpose:
      reference::conv_transpose_backward_data(what, n_, d_out, weights, d_in);
      break;
    case LayerKind::concat:
      reference::concat_backward(n_, d_out, d_in);
      break;
    case LayerKind::complex:
      reference::complex_backward(what, n_, d_out, d_in);
      break;
    case LayerKind::complex_conv:
      reference::complex_conv_backward_data(what, n_, d_out, weights, d_in);
      break;
    case LayerKind::complex_max_pool:
      reference::complex_max_pool_backward(what, n_, in, d_out, d_in);
      break;
    case LayerKind::mod_relu:
      reference::mod_relu_backward(n_, in, d_out, weights, &d_in, nullptr);
      break;
    case LayerKind::magnitude:
      reference::magnitude_backward(n_, in, d_out, d_in);
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
  reference::gather_rows(n_, activations_.back(), rows_);
  reference::softmax(static_cast<int>(rows()), rows_, probabilities_);
  return std::span(probabilities_.values)
      .first(rows() * static_cast<std::size_t>(network_.classes));
}

std::size_t ReferenceNetwork::activation_bytes() const {
  return bytes_of(activations_) + 2 * probabilities_.values.size() * sizeof(double);
}

std::size_t ReferenceNetwork::derivative_bytes() const {
  return bytes_of(derivatives_) + d_rows_.values.size() * sizeof(double);
}

std::size_t ReferenceNetwork::mask_bytes() const {
  std::size_t bytes = 0;
  for (const auto& keep : keep_) bytes += keep.size();
  return bytes;
}

}  // namespace oida
