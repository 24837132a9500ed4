#pragma once
// The usual 5 x 7 dot matrix of ASCII, so that pictures can carry text without a font library.

#include <array>
#include <cstdint>

namespace oida {

inline constexpr int kGlyphRows = 7;
inline constexpr int kGlyphCols = 5;

/// Rows from the top; bit 4 is the left column.
using Glyph = std::array<std::uint8_t, kGlyphRows>;

/// '?' for what is not printable ASCII.
const Glyph& glyph(char character);

}  // namespace oida
