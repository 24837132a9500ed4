#pragma once
// A split that is drawn: images of 0 unused, 1 trains, 2 validates, 3 tests.

#include <array>
#include <cstdint>
#include <vector>

#include "data/classes.hpp"

namespace oida {

/// Samples by part (training, validation, test) and class.
using PartCounts = std::array<std::vector<std::int64_t>, 3>;

/// Of the labelled pixels. InputError when an image is missing, of another size than its labels, or
/// holds another value than 0 to 3; Error when a label is above `classes`.
PartCounts count_parts(const std::vector<LabelImage>& labels, const std::vector<LabelImage>& parts,
                       int classes);

/// Whether a validation or test sample lies so near to a training sample that their patches, which
/// reach `reach_px` from the centre, share a pixel. Sizes as count_parts() asks for.
bool patches_meet(const std::vector<LabelImage>& parts, const std::vector<LabelImage>& labels,
                  int reach_px);

}  // namespace oida
