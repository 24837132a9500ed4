#pragma once
// Convolutions of 3x3 with stride 1 by Winograd's minimal filtering F(4x4, 3x3): Lavin and Gray,
// "Fast Algorithms for Convolutional Neural Networks", CVPR 2016, with the points 0, +-1, +-2 and
// infinity. A quarter of the multiplications of the plain sum.
//
// Activations are [n, h, w, c], float32. Channels of every array are multiples of 16.
// Tiles of 4x4 outputs are numbered over samples, rows and columns; a thread takes blocks of tiles:
// transforms their 6x6 inputs to V[36][tile][in], multiplies with the filters U[36][in][out], and
// transforms M[36][tile][out] back, with what follows the convolution done on the way out.
//
// The functions need AVX-512 (F, BW, DQ, VL): ask winograd_runs_here() first. This header is read
// by files compiled for it, so it holds nothing that the linker could share with others.

#include <cstddef>
#include <cstdint>

namespace oida::onednn {

struct WinogradShape {
  int samples = 0;
  int height = 0, width = 0;  // of the source
  int in = 0;                 // floats a pixel of the source
  int used = 0;               // of those, the first that are not padding
  int out = 0;                // floats a pixel of the destination
  int pad = 0;                // 0 to 2
  int threads = 1;
};

/// [n, h, w, c]; or, with `taken`, the gradient that comes back through a 2x2 max-pool:
/// values [n, h/2, w/2, c], and which of the four pixels, in row order, takes each. With `more` the
/// channels from `split` on, a multiple of 16, stand there: [n, h, w, split] and [n, h, w, c -
/// split].
struct WinogradSource {
  const float* values = nullptr;
  const std::uint8_t* taken = nullptr;
  const float* more = nullptr;
  int split = 0;
  const float* added = nullptr;  // with `taken`: [n, h, w, c], added to what comes back
};

/// Where a destination's channels from `split` on go instead, zero where `positive` is not.
struct WinogradRest {
  float* values = nullptr;
  const float* positive = nullptr;
  int split = 0;
};

/// max(convolution + bias, lower) when `bias` is given; zero where `positive`, of the destination's
/// shape, is not; with `taken` the destination is the 2x2 max-pool's output instead, and `whole`,
/// where it is given, gets what was pooled.
struct WinogradFinish {
  const float* bias = nullptr;
  float lower = 0.0F;
  const float* positive = nullptr;
  std::uint8_t* taken = nullptr;
  float* whole = nullptr;
  WinogradRest rest = {};
};

/// Floats of the transformed filter.
std::size_t winograd_filter_size(const WinogradShape& shape);
/// Floats of scratch that winograd_convolve and winograd_gradient need.
std::size_t winograd_scratch_size(const WinogradShape& shape);
std::size_t winograd_gradient_scratch_size(const WinogradShape& shape);

/// weight: [3, 3, in, out].
void winograd_filter(const WinogradShape& shape, const float* weight, float* filter);
/// The filter of the way back: weight is [3, 3, out, in] in terms of `shape`, whose source is the
/// gradient of the output.
void winograd_filter_back(const WinogradShape& shape, const float* weight, float* filter);

void winograd_convolve(const WinogradShape& shape, const WinogradSource& source,
                       const float* filter, const WinogradFinish& finish, float* destination,
                       float* scratch);

/// Gradient of weight [3, 3, in, out] and bias [out] from the source and the gradient of the
/// destination. The order of every sum is fixed by `shape`.
void winograd_gradient(const WinogradShape& shape, const WinogradSource& source,
                       const WinogradSource& diff, float* weight, float* bias, float* scratch);

}  // namespace oida::onednn
