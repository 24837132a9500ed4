#pragma once
// Transposed convolutions by oneDNN, which calls them deconvolutions.

#include <optional>

#include "engine/onednn/directions.hpp"
#include "engine/onednn/library.hpp"

namespace oida::onednn {

/// The weight stands in `layout`, or where the library computes its gradient.
Directions transposed_directions(Library& library, const TrainedLayer& layer, const Tensor& input,
                                 const std::optional<dnnl::memory::desc>& layout);

}  // namespace oida::onednn
