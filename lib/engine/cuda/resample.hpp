#pragma once
// Layers that make images larger or put them side by side.

#include "engine/cuda/image.hpp"
#include "engine/cuda/numbers.hpp"

namespace oida::cuda {

/// out[y, x] = in[y / factor, x / factor]
template <typename T>
struct Upsample {
  Image from, to;  // of equal stride
  Index factor;
  const T* in;
  T* out;

  OIDA_BOTH void operator()(Index index) const {
    const Place at = place_of(to, index);
    out[index] = in[from.at(at.i, at.channel, at.row / factor, at.col / factor)];
  }
};

template <typename T>
struct UpsampleBackward {
  Image from, to;
  Index factor;
  const T* d_out;
  T* d_in;

  OIDA_BOTH void operator()(Index index) const {
    const Place at = place_of(from, index);
    float sum = 0.0F;
    for (Index k = 0; k < factor * factor; ++k) {
      const Index row = at.row * factor + k / factor;
      const Index col = at.col * factor + k % factor;
      sum += to_float(d_out[to.at(at.i, at.channel, row, col)]);
    }
    d_in[index] = narrow<T>(sum);
  }
};

/// Channels of `in`, then those of `with`.
template <typename T>
struct Concat {
  Image from, beside, to;
  const T* in;
  const T* with;
  T* out;

  OIDA_BOTH void operator()(Index index) const {
    const Place at = place_of(to, index);
    const Index own = static_cast<Index>(from.c);
    out[index] = at.channel < own ? in[from.at(at.i, at.channel, at.row, at.col)]
                                  : with[beside.at(at.i, at.channel - own, at.row, at.col)];
  }
};

/// Of the whole image's channels those from `first` on; padding is 0.
template <typename T>
struct TakeChannels {
  Image whole, part;
  Index first;
  const T* in;
  T* out;

  OIDA_BOTH void operator()(Index index) const {
    const Place at = place_of(part, index);
    const bool padding = at.channel >= static_cast<Index>(part.c);
    out[index] = padding ? narrow<T>(0.0F) : in[whole.at(at.i, first + at.channel, at.row, at.col)];
  }
};

/// values += more
template <typename T>
struct Add {
  T* values;
  const T* more;

  OIDA_BOTH void operator()(Index index) const {
    values[index] = narrow<T>(to_float(values[index]) + to_float(more[index]));
  }
};

}  // namespace oida::cuda
