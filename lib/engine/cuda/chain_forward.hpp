#pragma once
// Chain: forward and loss.

#include <type_traits>

#include "engine/cuda/chain.hpp"

namespace oida::cuda {

template <typename Card, typename T>
void Chain<Card, T>::load(const float* batch) {
  card_.run(count(image()), LoadInput<T>{batch, words_, image().size(), loaded_});
}

template <typename Card, typename T>
void Chain<Card, T>::cut(const float* pixels, const PatchPlace* places, const float* signs) {
  card_.run(count(image()), CutPatch<T>{pixels, places, signs, words_, image(), loaded_});
}

template <typename Card, typename T>
void Chain<Card, T>::forward(bool training) {
  if constexpr (!std::is_same_v<T, float>) {
    card_.run(static_cast<Index>(layout_.size()), Convert<float, T>{parameters_, weights_});
  }
  for (Stage& stage : stages_) forward(stage, training);
}

template <typename Card, typename T>
void Chain<Card, T>::forward(Stage& stage, bool training) {
  switch (stage.layer.kind) {
    case LayerKind::conv:
    case LayerKind::dense:
    case LayerKind::conv_transpose:
    case LayerKind::complex_conv:
      return forward_trained(stage);
    case LayerKind::group_norm:
    case LayerKind::batch_norm:
      return forward_norm(stage, training);
    case LayerKind::dropout:
      return forward_dropout(stage, training);
    default:
      return forward_other(stage);
  }
}

template <typename Card, typename T>
void Chain<Card, T>::forward_other(Stage& stage) {
  const Index size = count(stage.out);
  switch (stage.layer.kind) {
    case LayerKind::max_pool:
      return card_.run(size, MaxPool<T>{stage.pool(), stage.input, stage.output, stage.where});
    case LayerKind::average_pool:
      return card_.average_pool_forward(stage.plan, stage.input, stage.output);
    case LayerKind::upsample:
      return card_.run(size,
                       Upsample<T>{stage.in, stage.out, static_cast<Index>(stage.layer.kernel),
                                   stage.input, stage.output});
    case LayerKind::concat: {
      const Stage& with = stages_[static_cast<std::size_t>(stage.with)];
      return card_.run(
          size, Concat<T>{stage.in, with.out, stage.out, stage.input, with.output, stage.output});
    }
    case LayerKind::complex:
      return card_.run(size,
                       ToComplex<T>{stage.pairs(), stage.in, stage.out, stage.input, stage.output});
    case LayerKind::complex_max_pool:
      return card_.run(size,
                       ComplexMaxPool<T>{stage.pool(), stage.input, stage.output, stage.where});
    case LayerKind::mod_relu:
      return card_.run(size,
                       ModRelu<T>{stage.in, value(stage.trained->bias), stage.input, stage.output});
    case LayerKind::magnitude:
      return card_.run(size, Magnitude<T>{stage.in, stage.out, stage.input, stage.output});
    default:
      return card_.run(size, Relu<T>{stage.input, stage.output});
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
  if (stage.is(LayerKind::dense)) {
    multiply_forward(stage);
  } else if (stage.is(LayerKind::conv_transpose)) {
    card_.conv_backward_data(stage.plan, weight(stage), stage.input, stage.output);
  } else {
    if (stage.is(LayerKind::complex_conv)) {
      const ComplexWeights shape = stage.complex_weights();
      card_.run(shape.expanded(),
                ExpandWeights<T>{shape, value(stage.trained->weight), stage.expanded});
    }
    card_.conv_forward(stage.plan, stage.input, weight(stage), stage.output);
  }
  if (is_last(stage)) {
    finish_logits(stage);
  } else {
    add_bias(stage, stage.output);
  }
}

/// Logits are float, of a dense layer from the product on.
template <typename Card, typename T>
void Chain<Card, T>::finish_logits(Stage& stage) {
  if (!stage.is(LayerKind::dense)) {
    card_.run(count(stage.out), Convert<T, float>{stage.output, logits_});
  }
  add_bias(stage, logits_);
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
  card_.run(count(stage.out),
            AddBias<Value>{values, value(stage.trained->bias), static_cast<Index>(stage.out.stride),
                           stage.layer.relu});
}

template <typename Card, typename T>
void Chain<Card, T>::softmax() {
  card_.run(rows(), Softmax{logits_, classes_, probabilities_});
}

template <typename Card, typename T>
void Chain<Card, T>::loss() {
  card_.run(rows(), Loss<T>{logits_, labels_, class_weights_, words_, classes_,
                            static_cast<Index>(sample_rows_), smoothing_, stages_.back().slope,
                            row_losses_, row_correct_});
  card_.run(sums_of(rows()), Tally{row_losses_, row_correct_, rows(), losses_, correct_});
}

}  // namespace oida::cuda
