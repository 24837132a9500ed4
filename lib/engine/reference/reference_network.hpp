#pragma once
// A network in double over one parameter array in canonical order (nn/network.hpp): the oracle of
// the tests. All arrays are made at construction.

#include <cstdint>
#include <span>
#include <vector>

#include "data/batch.hpp"
#include "engine/engine.hpp"
#include "engine/reference/layers.hpp"
#include "nn/network.hpp"

namespace oida {

/// One pass is load(); forward_layer(0), ..., forward_layer(L - 1); then loss(); then
/// backward_layer(L - 1), ..., backward_layer(0). forward() and step() make it in one call.
class ReferenceNetwork {
 public:
  /// `class_weights` is empty or has one value a class; `label_smoothing` as in EngineOptions.
  ReferenceNetwork(const Network& network, std::vector<float> class_weights, int max_batch,
                   double label_smoothing = 0.0);

  std::size_t layers() const { return network_.layers.size(); }

  /// Takes the samples over. Dropout acts only in `training`.
  void load(const Batch& batch, bool training);
  void forward_layer(std::size_t layer, std::span<const double> parameters);
  /// From the last layer's output; prepares the backward pass.
  StepResult loss();
  /// Writes the gradient of this layer's parameters, all of it.
  void backward_layer(std::size_t layer, std::span<const double> parameters,
                      std::span<double> gradient);
  /// After backward_layer(layer) the gradient is final from here to its end.
  std::size_t gradient_begin(std::size_t layer) const { return gradient_begin_[layer]; }

  /// load() and all forward layers.
  void forward(const Batch& batch, std::span<const double> parameters, bool training);
  /// A whole pass, dropout on.
  StepResult step(const Batch& batch, std::span<const double> parameters,
                  std::span<double> gradient);

  /// 0: the input; i + 1: the output of layer i, with its fused relu.
  const reference::Tensor& activation(std::size_t i) const { return activations_[i]; }
  /// [n, classes] of the last forward pass, dense: [n, h, w, classes].
  std::span<const double> probabilities();

  std::size_t activation_bytes() const;
  std::size_t derivative_bytes() const;
  std::size_t mask_bytes() const;

 private:
  struct Range {
    std::size_t offset = 0, size = 0;
  };

  /// The arrays of one layer, in the order of nn/network.hpp; mod_relu's one stands as bias.
  struct Arrays {
    Range weight, bias, mean, variance;
  };

  reference::Weights weights_of(std::size_t layer, std::span<const double> parameters) const;
  reference::WeightGradients gradients_of(std::size_t layer, std::span<double> gradient) const;
  std::size_t rows() const { return static_cast<std::size_t>(n_) * row_count_; }
  /// What the labelled rows' losses are divided by.
  double divisor() const;
  void backward_from_concats(std::size_t layer);
  void backward_weights(std::size_t layer, std::span<const double> parameters,
                        const reference::WeightGradients& gradients);
  void place_parameters();
  void load_input(const Batch& batch);
  void load_labels(const Batch& batch);
  void draw_masks(const Batch& batch);
  void backward_through(std::size_t layer, std::span<const double> parameters);

  Network network_;
  std::vector<float> class_weights_;
  double label_smoothing_;
  std::size_t row_count_;       // labels a sample
  std::vector<int> skips_;      // by layer
  std::vector<Arrays> arrays_;  // by layer
  std::vector<std::size_t> gradient_begin_;

  int n_ = 0;
  bool training_ = false;
  std::vector<std::int32_t> labels_;  // by row, as the next two
  std::vector<double> row_weights_;
  std::vector<reference::Tensor> activations_;
  std::vector<reference::Tensor> derivatives_;       // by activations_; none for the input
  std::vector<std::vector<std::uint8_t>> keep_;      // by layer; empty but for dropout
  reference::Tensor rows_, probabilities_, d_rows_;  // [rows, classes]
};

}  // namespace oida
