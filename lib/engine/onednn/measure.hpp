#pragma once
// Times the kernels of one layer against each other on this machine, at set-up.

#include "engine/onednn/directions.hpp"
#include "engine/onednn/library.hpp"

namespace oida::onednn {

/// Replaces in `directions` whatever the same direction of `other` is faster at; both must share
/// their weight's layout.
void keep_faster(Library& library, const TrainedLayer& layer, const Tensor& input,
                 Directions& directions, Directions& other);

}  // namespace oida::onednn
