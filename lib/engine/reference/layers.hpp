#pragma once
// Every layer as plain loops in double: the meaning that faster engines are held to.
// in, out: [n, c, h, w]; weight, bias: nn/network.hpp; d_x: the loss's derivative by x. `n` is the
// number of samples used. Backward functions write all of d_in, and add to d_weight and d_bias.

#include <cstdint>
#include <span>

#include "engine/reference/tensor.hpp"

namespace oida::reference {

/// mean, variance: running moments of batch_norm.
struct Weights {
  std::span<const double> weight, bias, mean = {}, variance = {};
};
struct WeightGradients {
  std::span<double> weight, bias, mean = {}, variance = {};
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

/// out = weight (in - mean) / sqrt(variance + kNormEpsilon) + bias, moments of each sample's groups
/// of channels (Wu and He, ECCV 2018).
void group_norm_forward(const Layer& layer, int n, const Tensor& in, const Weights& weights,
                        Tensor& out);
void group_norm_backward_data(const Layer& layer, int n, const Tensor& in, const Tensor& d_out,
                              const Weights& weights, Tensor& d_in);
void group_norm_backward_weights(const Layer& layer, int n, const Tensor& in, const Tensor& d_out,
                                 const WeightGradients& gradients);

/// The same with moments of each channel over the n samples, in training, else the running ones
/// (Ioffe and Szegedy, ICML 2015). The gradients of the running moments are what they lie above
/// those of the batch.
void batch_norm_forward(int n, bool training, const Tensor& in, const Weights& weights,
                        Tensor& out);
void batch_norm_backward_data(int n, const Tensor& in, const Tensor& d_out, const Weights& weights,
                              Tensor& d_in);
void batch_norm_backward_weights(int n, const Tensor& in, const Tensor& d_out,
                                 const Weights& weights, const WeightGradients& gradients);

/// out[y, x] = in[y / factor, x / factor].
void upsample_forward(const Layer& layer, int n, const Tensor& in, Tensor& out);
void upsample_backward(const Layer& layer, int n, const Tensor& d_out, Tensor& d_in);

/// out[o, y stride + ky, x stride + kx] sums weight[o, c, ky, kx] in[c, y, x].
void conv_transpose_forward(const Layer& layer, int n, const Tensor& in, const Weights& weights,
                            Tensor& out);
void conv_transpose_backward_data(const Layer& layer, int n, const Tensor& d_out,
                                  const Weights& weights, Tensor& d_in);
void conv_transpose_backward_weights(const Layer& layer, int n, const Tensor& in,
                                     const Tensor& d_out, const WeightGradients& gradients);

/// Channels of `in`, then those of `with`. The second way back adds to d_with.
void concat_forward(int n, const Tensor& in, const Tensor& with, Tensor& out);
void concat_backward(int n, const Tensor& d_out, Tensor& d_in);
void concat_backward_with(int n, const Tensor& d_out, Tensor& d_with);

/// From real channels and pairs to all real parts, then all imaginary parts.
void complex_forward(const Layer& layer, int n, const Tensor& in, Tensor& out);
void complex_backward(const Layer& layer, int n, const Tensor& d_out, Tensor& d_in);

/// out = bias + weight * in in complex numbers, as one real convolution.
void complex_conv_forward(const Layer& layer, int n, const Tensor& in, const Weights& weights,
                          Tensor& out);
void complex_conv_backward_data(const Layer& layer, int n, const Tensor& d_out,
                                const Weights& weights, Tensor& d_in);
void complex_conv_backward_weights(const Layer& layer, int n, const Tensor& in, const Tensor& d_out,
                                   const WeightGradients& gradients);

/// The longest number of each window; of equal ones the first in row order takes the derivative.
void complex_max_pool_forward(const Layer& layer, int n, const Tensor& in, Tensor& out);
void complex_max_pool_backward(const Layer& layer, int n, const Tensor& in, const Tensor& d_out,
                               Tensor& d_in);

/// out = max(|in| + bias, 0) in / |in| (Arjovsky, Shah, Bengio, ICML 2016); 0 and no derivative
/// where in is 0. The way back writes those of its last two arguments that are there.
void mod_relu_forward(int n, const Tensor& in, const Weights& weights, Tensor& out);
void mod_relu_backward(int n, const Tensor& in, const Tensor& d_out, const Weights& weights,
                       Tensor* d_in, const WeightGradients* gradients);

/// out = |in|; the derivative at 0 is 0.
void magnitude_forward(int n, const Tensor& in, Tensor& out);
void magnitude_backward(int n, const Tensor& in, const Tensor& d_out, Tensor& d_in);

/// [rows, classes] from the channels of each pixel, and back.
void gather_rows(int n, const Tensor& in, Tensor& rows);
void scatter_rows(int n, const Tensor& rows, Tensor& out);

/// probabilities = exp(logits) / sum, per row.
void softmax(int n, const Tensor& logits, Tensor& probabilities);

/// What a row's probabilities are held to: 1 - smoothing for its label and smoothing / classes for
/// all (Szegedy et al., CVPR 2016); `share` is what the row counts in the loss.
struct Target {
  int label = 0;
  double share = 1.0;
  double smoothing = 0.0;
};
/// -share times the sum of target log probability.
double cross_entropy(const Tensor& logits, int row, const Target& target);
/// d_logits = share (probabilities - target).
void cross_entropy_backward(const Tensor& probabilities, int row, const Target& target,
                            Tensor& d_logits);

}  // namespace oida::reference
