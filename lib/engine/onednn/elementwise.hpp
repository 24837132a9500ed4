#pragma once
// Elementwise arithmetic on [n, h, w, c] tensors of float32 or bfloat16, parallel over samples:
// every element is computed by itself, so results do not depend on the number of threads.

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/onednn/bf16.hpp"
#include "engine/onednn/stage.hpp"

namespace oida::onednn {

/// diff = 0 where values <= 0 (or NaN): the way back through a relu whose output is `values`.
void mask_where_not_positive(const Tensor& values, int samples, void* diff);

/// diff += held, of the shape of `like`.
void add_held(const Tensor& like, int samples, const void* held, void* diff);

/// NaN stays NaN; `in` may be `out`.
void relu_forward(const Tensor& in, const Tensor& out, int samples);

/// One sample: to = scale from where keep is not 0, else 0; `keep` is in [c, h, w] order.
void dropout_sample(const Tensor& like, std::span<const std::uint8_t> keep, float scale, int n,
                    const void* from, void* to);

/// `size` values a sample.
void narrow(const float* from, Bf16* to, int samples, std::size_t size);

}  // namespace oida::onednn
