#pragma once
// Transposed convolutions by oneDNN, which calls them deconvolutions.

#include "engine/onednn/directions.hpp"
#include "engine/onednn/library.hpp"

namespace oida::onednn {

/// The weight stands where the library computes its gradient.
Directions transposed_directions(Library& library, const TrainedLayer& layer, const Tensor& input);

}  // namespace oida::onednn
