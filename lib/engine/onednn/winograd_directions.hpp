#pragma once
// The Winograd kernels as directions of a convolution.

#include "engine/onednn/directions.hpp"
#include "engine/onednn/library.hpp"

namespace oida::onednn {

/// True when the CPU, the element type and the layer are what the kernels are made for: float32,
/// 3x3, stride 1, pad up to 2, channels in whole vectors.
bool winograd_fits(const TrainedLayer& layer, const Tensor& input);

/// The weight's layout is [3, 3, in, out].
Directions winograd_directions(Library& library, const TrainedLayer& layer, const Tensor& input);

}  // namespace oida::onednn
