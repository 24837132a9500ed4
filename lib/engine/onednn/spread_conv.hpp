#pragma once
// Transposed convolutions whose windows do not overlap (kernel = stride = side): every input pixel
// makes `side` x `side` pixels of the output by itself. The rows y side + ky of the output are the
// products of the input's rows and one matrix, [in, side out]; the library takes them for gradients
// of a strided convolution and reached a quarter of the speed, measured.
//
// Activations are [n, h, w, c], float32; weights [side, in, side, out]. Channels are multiples of
// 16. The functions need AVX-512 (F, BW, DQ, VL).

#include <cstddef>

namespace oida::onednn {

struct SpreadShape {
  int samples = 0;
  int height = 0, width = 0;  // of the source
  int in = 0, out = 0;        // floats a pixel of source and destination
  int side = 0;
  int threads = 1;
};

/// Floats of scratch that spread_convolve and spread_gradient need.
std::size_t spread_scratch_size(const SpreadShape& shape);
std::size_t spread_gradient_scratch_size(const SpreadShape& shape);

/// destination = bias + weight * source.
void spread_convolve(const SpreadShape& shape, const float* source, const float* weight,
                     const float* bias, float* destination, float* scratch);

/// Gradient of weight and bias from the source and the gradient of the destination. The order of
/// every sum is fixed by `shape`.
void spread_gradient(const SpreadShape& shape, const float* source, const float* diff,
                     float* weight, float* bias, float* scratch);

}  // namespace oida::onednn
