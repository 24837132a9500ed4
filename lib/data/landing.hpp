#pragma once
// Where the pixels of a square land in its mirror images.

#include <cstddef>

#include "data/patch_store.hpp"

namespace oida {

/// Of an untransformed square of `side_px`, counted in pixels of the transformed one.
struct Landing {
  std::ptrdiff_t first = 0;    // of pixel (0, 0)
  std::ptrdiff_t per_row = 0;  // and the way from there
  std::ptrdiff_t per_col = 0;
};

inline Landing landing(Symmetry symmetry, std::ptrdiff_t side_px) {
  const bool mirror_cols = (symmetry.bits & 1) != 0;
  const bool mirror_rows = (symmetry.bits & 2) != 0;
  const bool transpose = (symmetry.bits & 4) != 0;
  const std::ptrdiff_t down = mirror_rows ? -side_px : side_px;
  const std::ptrdiff_t across = mirror_cols ? -1 : 1;
  const std::ptrdiff_t first =
      (mirror_rows ? (side_px - 1) * side_px : 0) + (mirror_cols ? side_px - 1 : 0);
  return {first, transpose ? across : down, transpose ? down : across};
}

}  // namespace oida
