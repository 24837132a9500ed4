#pragma once
// Colours of classes that a label file gives none.

#include <optional>
#include <vector>

#include "data/classes.hpp"

namespace oida {

/// Fills the gaps with colours that no other entry has: first Kelly's colours of maximum contrast
/// (Color Eng. 3 (1965) 26, without white and black, which maps use for "no label"), then hues in
/// steps of the golden angle.
std::vector<Colour> complete_colours(const std::vector<std::optional<Colour>>& given);

}  // namespace oida
