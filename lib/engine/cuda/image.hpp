#pragma once
// How one sample lies in the memory of a card: pixel by pixel.

#include "engine/cuda/host_device.hpp"

namespace oida::cuda {

/// [h, w, stride], of whose stride the first c channels count; the others are zero.
struct Image {
  int c = 0, stride = 0, h = 0, w = 0;

  OIDA_BOTH Index pixels() const { return static_cast<Index>(h) * static_cast<Index>(w); }
  OIDA_BOTH Index size() const { return pixels() * static_cast<Index>(stride); }
  /// Where element (channel, row, column) of sample `i` stands.
  OIDA_BOTH Index at(Index i, Index channel, Index row, Index col) const {
    return i * size() + (row * static_cast<Index>(w) + col) * static_cast<Index>(stride) + channel;
  }
};

/// An element's place, from its index in [n, h, w, stride].
struct Place {
  Index i, row, col, channel;
};

OIDA_BOTH inline Place place_of(const Image& image, Index index) {
  const Index stride = static_cast<Index>(image.stride);
  const Index width = static_cast<Index>(image.w);
  const Index height = static_cast<Index>(image.h);
  const Index pixel = index / stride;
  const Index line = pixel / width;
  return {line / height, line % height, pixel % width, index % stride};
}

/// What changes from step to step; it lies in the card's memory, so that a recorded step can be
/// run again.
struct StepWords {
  std::uint32_t key[2];  // dropout: see core/rng.hpp
  std::uint32_t step;
  std::int32_t n;  // samples that count
  float rate;      // learning rate
  std::int32_t window_ends;
  float total;  // by which losses are divided: samples, or labelled pixels
};

}  // namespace oida::cuda
