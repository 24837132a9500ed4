#pragma once
// Transposed convolutions without overlap by the kernels of spread_conv.hpp.

#include "engine/onednn/directions.hpp"
#include "engine/onednn/library.hpp"

namespace oida::onednn {

/// Whether the CPU, the layer and its input are such that the kernels can run: float32, kernel and
/// stride equal, channels in whole vectors.
bool spread_fits(const TrainedLayer& layer, const Tensor& input);

/// Output and gradient of the weight by these kernels, gradient of the source by the library.
/// @pre spread_fits(layer, input).
Directions spread_directions(Library& library, const TrainedLayer& layer, const Tensor& input);

}  // namespace oida::onednn
