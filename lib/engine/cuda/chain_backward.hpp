#pragma once
// Chain: backward.

#include <type_traits>

#include "engine/cuda/chain.hpp"

namespace oida::cuda {

template <typename Card, typename T>
void Chain<Card, T>::backward(std::size_t layer) {
  Stage& stage = stages_[layer];
  if (stage.trained != nullptr) {
    backward_trained(stage);
  } else if (stage.needs_d_in) {
    backward_other(stage);
  }
}

template <typename Card, typename T>
void Chain<Card, T>::backward_trained(Stage& stage) {
  backward_bias(stage);
  backward_weight(stage);
  if (stage.needs_d_in) backward_input(stage);
}

/// The relu's derivative and the bias's gradient in one pass over the slope, then sums of sums.
template <typename Card, typename T>
void Chain<Card, T>::backward_bias(Stage& stage) {
  const auto channels = static_cast<Index>(stage.out.stride);
  float* bias = gradient_ + stage.trained->bias;
  Index rows = static_cast<Index>(samples_) * stage.out.pixels();
  Index sums = sums_of(rows);
  int side = 0;
  float* to = sums == 1 ? bias : sums_[side];
  card_.run(sums * channels,
            SumRows<T>{stage.slope, stage.layer.relu ? stage.output : nullptr, rows, channels, to});
  while (sums > 1) {
    float* from = to;
    rows = sums;
    sums = sums_of(rows);
    side = 1 - side;
    to = sums == 1 ? bias : sums_[side];
    card_.run(sums * channels, SumRows<float>{from, nullptr, rows, channels, to});
  }
}

/// weight [rows, width] = slope [n, rows]^T in [n, width]
template <typename Card, typename T>
void Chain<Card, T>::backward_weight(Stage& stage) {
  float* weight = gradient_ + stage.trained->weight;
  if (stage.layer.kind == LayerKind::dense) {
    Product product;
    product.rows = static_cast<int>(stage.trained->rows);
    product.cols = static_cast<int>(stage.in.size());
    product.inner = samples_;
    product.a = stage.slope;
    product.a_turned = true;
    product.b = stage.input;
    product.element = element_of<T>();
    product.c = weight;
    card_.multiply(product);
    return;
  }
  if constexpr (std::is_same_v<T, float>) {
    card_.conv_backward_weight(stage.plan, stage.input, stage.slope, weight);
  } else {
    card_.conv_backward_weight(stage.plan, stage.input, stage.slope, weight_gradient_);
    card_.run(static_cast<Index>(stage.trained->weight_size()),
              Convert<T, float>{weight_gradient_, weight});
  }
}

/// d_in [n, width] = slope [n, rows] weight [rows, width]
template <typename Card, typename T>
void Chain<Card, T>::backward_input(Stage& stage) {
  if (stage.layer.kind == LayerKind::conv) {
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
void Chain<Card, T>::backward_other(Stage& stage) {
  const Index size = count(stage.in);
  switch (stage.layer.kind) {
    case LayerKind::max_pool:
      card_.run(size, MaxPoolBackward<T>{stage.pool(), stage.slope, stage.where, stage.d_in});
      break;
    case LayerKind::average_pool:
      card_.average_pool_backward(stage.plan, stage.output, stage.slope, stage.input, stage.d_in);
      break;
    case LayerKind::relu:
      card_.run(size, ReluBackward<T>{stage.output, stage.slope, stage.d_in});
      break;
    default:
      card_.run(size, DropoutApply<T>{stage.slope, stage.keep, dropout_scale(stage.layer.rate),
                                      stage.d_in});
  }
}

template <typename Card, typename T>
std::vector<std::string> Chain<Card, T>::kernels() const {
  std::vector<std::string> lines;
  for (const Stage& stage : stages_) {
    if (stage.layer.kind == LayerKind::conv) {
      const auto more = card_.conv_lines(stage.plan);
      lines.insert(lines.end(), more.begin(), more.end());
      continue;
    }
    const bool product = stage.layer.kind == LayerKind::dense;
    const bool mean = stage.layer.kind == LayerKind::average_pool;
    const std::string who = product ? "cublas" : mean ? "cudnn" : "own";
    lines.push_back(stage.name + " forward: " + who);
    lines.push_back(stage.name + " backward: " + who);
  }
  return lines;
}

}  // namespace oida::cuda
