#pragma once
// The 2x2 max-pool after a convolution, with the places that it took, on [n, h, w, c] tensors.

#include <cstdint>

#include "engine/onednn/stage.hpp"

namespace oida::onednn {

/// out = the largest of each four; taken = which, in row order, the first of equal ones. An odd
/// last row or column is left out.
void halve(const Tensor& in, const Tensor& out, int samples, std::uint8_t* taken);

/// The way back: all of `diff_in` is written.
void spread(const Tensor& out, const Tensor& in, int samples, const void* diff_out,
            const std::uint8_t* taken, void* diff_in);

}  // namespace oida::onednn
