#pragma once
// Pools over square windows without padding, on [n, h, w, c] tensors, parallel over samples.

#include "engine/onednn/stage.hpp"

namespace oida::onednn {

void max_pool_forward(const Tensor& in, const Layer& window, const Tensor& out, int samples);
/// The first largest element of a window, in row order, gets the window's gradient.
void max_pool_backward(const Tensor& in, const Layer& window, const Tensor& out, int samples,
                       const void* diff_out, void* diff_in);

void average_pool_forward(const Tensor& in, const Layer& window, const Tensor& out, int samples);
void average_pool_backward(const Tensor& in, const Layer& window, const Tensor& out, int samples,
                           const void* diff_out, void* diff_in);

}  // namespace oida::onednn
