#pragma once
// Convolutions (transposed or not) and dense layers by oneDNN's own choice of kernel.

#include <optional>

#include "engine/onednn/directions.hpp"
#include "engine/onednn/library.hpp"

namespace oida::onednn {

/// Directions of a layer; any direction may be taken out and used alone. The
/// weight stands in `layout`, or in the layout in which the library computes its gradient. A
/// direction that cannot read or write it there goes through a copy of its own, which is also the
/// cast to bfloat16.
Directions library_directions(Library& library, const TrainedLayer& layer, const Tensor& input,
                              const std::optional<dnnl::memory::desc>& layout = {});

}  // namespace oida::onednn
