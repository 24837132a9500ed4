#pragma once
// Chain: backward.

#include <type_traits>

#include "engine/cuda/chain.hpp"

namespace oida::cuda {

template <typename Card, typename T>
void Chain<Card, T>::backward(std::size_t layer) {
  Stage& stage = stages_[layer];
  if (!stage.learns()) return;
  add_from_concats(stage);
  if (stage.is_norm()) {
    backward_norm(stage);
  } else if (stage.is(LayerKind::mod_relu)) {
    backward_mod_relu(stage);
  } else if (stage.trained != nullptr) {
    backward_trained(stage);
  } else {
    backward_other(stage);
  }
}

/// A named output also learns from every concat that took it.
template <typename Card, typename T>
void Chain<Card, T>::add_from_concats(Stage& stage) {
  for (const Stage& later : stages_) {
    if (later.with != static_cast<int>(&stage - stages_.data())) continue;
    card_.run(count(stage.out), Add<T>{stage.slope, later.d_with});
  }
}

template <typename Card, typename T>
void Chain<Card, T>::backward_trained(Stage& stage) {
  backward_bias(stage);
  if (stage.is(LayerKind::dense)) {
    backward_dense_weight(stage);
  } else {
    backward_weight(stage);
  }
  if (stage.needs_d_in) backward_input(stage);
}

/// The relu's derivative and the bias's gradient in one pass over the slope, then sums of sums.
template <typename Card, typename T>
void Chain<Card, T>::backward_bias(Stage& stage) {
  const auto channels = static_cast<Index>(stage.out.stride);
  const Index rows = static_cast<Index>(samples_) * stage.out.pixels();
  const Index sums = sums_of(rows);
  float* to = sums == 1 ? slope(stage.trained->bias) : sums_[0];
  card_.run(sums * channels,
            SumRows<T>{stage.slope, stage.layer.relu ? stage.output : nullptr, rows, channels, to});
  if (sums > 1) add_up(to, sums, channels, slope(stage.trained->bias), 1);
}

/// weight [rows, width] = slope [n, rows]^T in [n, width]
template <typename Card, typename T>
void Chain<Card, T>::backward_dense_weight(Stage& stage) {
  Product product;
  product.rows = static_cast<int>(stage.trained->rows);
  product.cols = static_cast<int>(stage.in.size());
  product.inner = samples_;
  product.a = stage.slope;
  product.a_turned = true;
  product.b = stage.input;
  product.element = element_of<T>();
  product.c = slope(stage.trained->weight);
  card_.multiply(product);
}

template <typename Card, typename T>
void Chain<Card, T>::backward_weight(Stage& stage) {
  float* gradient = slope(stage.trained->weight);
  const bool turned = stage.is(LayerKind::conv_transpose);
  const T* in = turned ? stage.slope : stage.input;
  const T* out = turned ? stage.input : stage.slope;
  if (stage.is(LayerKind::complex_conv)) {
    const ComplexWeights shape = stage.complex_weights();
    card_.conv_backward_weight(stage.plan, in, out, weight_gradient_);
    card_.run(shape.parts(), FoldWeights<T>{shape, weight_gradient_, gradient});
  } else if constexpr (std::is_same_v<T, float>) {
    card_.conv_backward_weight(stage.plan, in, out, gradient);
  } else {
    card_.conv_backward_weight(stage.plan, in, out, weight_gradient_);
    card_.run(static_cast<Index>(stage.trained->weight.room),
              Convert<T, float>{weight_gradient_, gradient});
  }
}

/// Of a dense layer d_in [n, width] = slope [n, rows] weight [rows, width]
template <typename Card, typename T>
void Chain<Card, T>::backward_input(Stage& stage) {
  if (stage.is(LayerKind::conv_transpose)) {
    card_.conv_forward(stage.plan, stage.slope, weight(stage), stage.d_in);
    return;
  }
  if (!stage.is(LayerKind::dense)) {
    card_.conv_backward_data(stage.plan, weight(stage), stage.slope, stage.d_in);
    return;
  }
  Product product;
  product.rows = samples_;
  product.cols = static_cast<int>(stage.in.size());
  product.inner = static_cast<int>(stage.trained->rows);
  product.a = stage.slope;
  product.b = weight(stage);
  product.element = element_of<T>();
  product.c = stage.d_in;
  product.c_element = element_of<T>();
  card_.multiply(product);
}

template <typename Card, typename T>
void Chain<Card, T>::backward_mod_relu(Stage& stage) {
  const float* bias = value(stage.trained->bias);
  sum_pieces(stage.in, ModReluTerm<T>{stage.in, bias, stage.input, stage.slope}, pieces_[0]);
  add_up(pieces_[0], pieces(stage.in), static_cast<Index>(stage.in.stride),
         slope(stage.trained->bias));
  if (!stage.needs_d_in) return;
  card_.run(count(stage.in),
            ModReluBackward<T>{stage.in, bias, stage.input, stage.slope, stage.d_in});
}

template <typename Card, typename T>
void Chain<Card, T>::backward_concat(Stage& stage) {
  const Image& beside = stages_[static_cast<std::size_t>(stage.with)].out;
  card_.run(count(stage.in), TakeChannels<T>{stage.out, stage.in, 0, stage.slope, stage.d_in});
  card_.run(count(beside), TakeChannels<T>{stage.out, beside, static_cast<Index>(stage.in.c),
                                           stage.slope, stage.d_with});
}

template <typename Card, typename T>
void Chain<Card, T>::backward_other(Stage& stage) {
  const Index size = count(stage.in);
  switch (stage.layer.kind) {
    case LayerKind::max_pool:
    case LayerKind::complex_max_pool:
      return card_.run(size,
                       MaxPoolBackward<T>{stage.pool(), stage.slope, stage.where, stage.d_in});
    case LayerKind::average_pool:
      return card_.average_pool_backward(stage.plan, stage.output, stage.slope, stage.input,
                                         stage.d_in);
    case LayerKind::upsample:
      return card_.run(
          size, UpsampleBackward<T>{stage.in, stage.out, static_cast<Index>(stage.layer.kernel),
                                    stage.slope, stage.d_in});
    case LayerKind::concat:
      return backward_concat(stage);
    case LayerKind::complex:
      return card_.run(
          size, ToComplexBackward<T>{stage.pairs(), stage.in, stage.out, stage.slope, stage.d_in});
    case LayerKind::magnitude:
      return card_.run(
          size, MagnitudeBackward<T>{stage.in, stage.out, stage.input, stage.slope, stage.d_in});
    case LayerKind::relu:
      return card_.run(size, ReluBackward<T>{stage.output, stage.slope, stage.d_in});
    default:
      return card_.run(size, DropoutApply<T>{stage.slope, stage.keep,
                                             dropout_scale(stage.layer.rate), stage.d_in});
  }
}

}  // namespace oida::cuda
