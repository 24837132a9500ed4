#pragma once
// Patches cut on the card from feature windows that stay there.

#include "data/batch.hpp"
#include "engine/cuda/image.hpp"
#include "engine/cuda/numbers.hpp"

namespace oida::cuda {

OIDA_BOTH inline bool reflects(std::uint32_t symmetry) {
  return ((symmetry ^ (symmetry >> 1) ^ (symmetry >> 2)) & 1U) != 0;
}

/// out [max_batch, side, side, stride] from a Scene (data/batch.hpp): outside a window, beyond c
/// and for samples that do not count 0; reflected patches are multiplied with signs [c].
template <typename T>
struct CutPatch {
  const float* pixels;
  const PatchPlace* places;
  const float* signs;
  const StepWords* words;
  Image image;  // h = w
  T* out;

  OIDA_BOTH float value(const PatchPlace& patch, const Place& to) const {
    const int last = image.h - 1;
    int row = static_cast<int>(to.row);
    int col = static_cast<int>(to.col);
    if ((patch.symmetry & 2U) != 0) row = last - row;
    if ((patch.symmetry & 1U) != 0) col = last - col;
    const bool transposed = (patch.symmetry & 4U) != 0;
    const int y = patch.top + (transposed ? col : row);
    const int x = patch.left + (transposed ? row : col);
    if (y < 0 || y >= patch.rows || x < 0 || x >= patch.cols) return 0.0F;
    const std::uint64_t pixel =
        static_cast<std::uint64_t>(y) * static_cast<std::uint64_t>(patch.cols) +
        static_cast<std::uint64_t>(x);
    const float seen =
        pixels[patch.first + pixel * static_cast<std::uint64_t>(image.c) + to.channel];
    return reflects(patch.symmetry) ? seen * signs[to.channel] : seen;
  }
  OIDA_BOTH void operator()(Index index) const {
    const Place to = place_of(image, index);
    const bool counts =
        to.i < static_cast<Index>(words->n) && to.channel < static_cast<Index>(image.c);
    out[index] = narrow<T>(counts ? value(places[to.i], to) : 0.0F);
  }
};

}  // namespace oida::cuda
