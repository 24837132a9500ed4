#pragma once
// Every layer as plain loops in double: the meaning that faster engines are held to.
// in, out: [n, c, h, w]; weight, bias: nn/network.hpp; d_x: the loss's derivative by x. `n` is the
// number of samples used. Backward functions write all of d_in, and add to d_weight and d_bias.

#include <cstdint>
#include <span>

#include "engine/reference/tensor.hpp"

namespace oida::reference {

struct Weights {
  std::span<const double> weight, bias;
};
struct WeightGradients {
  std::span<double> weight, bias;
};

/// out = bias + weight * in (cross-correlation, zeros outside).
void conv_forward(const Layer& layer, int n, const Tensor& in, const Weights& weights, Tensor& out);
void conv_backward_data(const Layer& layer, int n, const Tensor& d_out, const Weights& weights,
                        Tensor& d_in);
void conv_backward_weights(const Layer& layer, int n, const Tensor& in, const Tensor& d_out,
                           const WeightGradients& gradients);

/// out = bias + weight in.
void dense_forward(int n, const Tensor& in, const Weights& weights, Tensor& out);
void dense_backward_data(int n, const Tensor& d_out, const Weights& weights, Tensor& d_in);
void dense_backward_weights(int n, const Tensor& in, const Tensor& d_out,
                            const WeightGradients& gradients);

/// The largest value of each window; of equal ones the first in row order takes the derivative.
void max_pool_forward(const Layer& layer, int n, const Tensor& in, Tensor& out);
void max_pool_backward(const Layer& layer, int n, const Tensor& in, const Tensor& d_out,
                       Tensor& d_in);
void average_pool_forward(const Layer& layer, int n, const Tensor& in, Tensor& out);
void average_pool_backward(const Layer& layer, int n, const Tensor& d_out, Tensor& d_in);

/// out = max(in, 0); the derivative at 0 is 0. `in` may be `out`, `d_in` may be `d_out`.
void relu_forward(int n, const Tensor& in, Tensor& out);
void relu_backward(int n, const Tensor& out, const Tensor& d_out, Tensor& d_in);

/// out = in where keep is 1, times `scale`, else 0: forward and backward alike.
void dropout_apply(int n, std::span<const std::uint8_t> keep, double scale, const Tensor& in,
                   Tensor& out);

/// probabilities = exp(logits) / sum, per sample.
void softmax(int n, const Tensor& logits, Tensor& probabilities);
/// -log of the probability that softmax gives class `label` in sample `i`.
double cross_entropy(const Tensor& logits, int i, int label);
/// d_logits = weight (probabilities - one-hot label) / n, with weight[i] that of sample i.
void cross_entropy_backward(std::span<const std::int32_t> labels, std::span<const double> weight,
                            const Tensor& probabilities, Tensor& d_logits);

}  // namespace oida::reference
