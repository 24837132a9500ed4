#pragma once
// Layers on complex tensors: all real parts, then all imaginary parts. Formulas:
// engine/reference/layers.hpp.

#include <cmath>

#include "engine/cuda/pool.hpp"

namespace oida::cuda {

/// Channel of `complex`'s input from which channel `c` of its output comes, or -1: 0.
struct ComplexPairs {
  Index reals, half;

  OIDA_BOTH int source(Index c) const {
    const bool imaginary = c >= half;
    const Index number = c % half;
    if (number < reals) return imaginary ? -1 : static_cast<int>(number);
    return static_cast<int>(reals + 2 * (number - reals) + (imaginary ? 1 : 0));
  }
  OIDA_BOTH Index target(Index c) const {
    if (c < reals) return c;
    return reals + (c - reals) / 2 + ((c - reals) % 2 == 1 ? half : 0);
  }
};

template <typename T>
struct ToComplex {
  ComplexPairs pairs;
  Image from, to;
  const T* in;
  T* out;

  OIDA_BOTH void operator()(Index index) const {
    const Place at = place_of(to, index);
    const int source = pairs.source(at.channel);
    out[index] = source < 0 ? narrow<T>(0.0F)
                            : in[from.at(at.i, static_cast<Index>(source), at.row, at.col)];
  }
};

template <typename T>
struct ToComplexBackward {
  ComplexPairs pairs;
  Image from, to;
  const T* d_out;
  T* d_in;

  OIDA_BOTH void operator()(Index index) const {
    const Place at = place_of(from, index);
    const bool padding = at.channel >= static_cast<Index>(from.c);
    d_in[index] =
        padding ? narrow<T>(0.0F) : d_out[to.at(at.i, pairs.target(at.channel), at.row, at.col)];
  }
};

/// The real convolution's weights [2 out, taps, stride] that a complex one's parts [2, out, in,
/// taps] make: (A + iB)(u + iv) has parts A u - B v and B u + A v.
struct ComplexWeights {
  Index out, in, taps, stride;

  OIDA_BOTH Index expanded() const { return 2 * out * taps * stride; }
  OIDA_BOTH Index parts() const { return 2 * out * in * taps; }
  OIDA_BOTH Index part(bool imaginary, Index o, Index c, Index tap) const {
    return (((imaginary ? out : 0) + o) * in + c) * taps + tap;
  }
  OIDA_BOTH Index whole(Index o, Index c, Index tap) const { return (o * taps + tap) * stride + c; }
};

template <typename T>
struct ExpandWeights {
  ComplexWeights shape;
  const float* parts;
  T* weight;

  OIDA_BOTH void operator()(Index index) const {
    const Index c = index % shape.stride;
    const Index tap = index / shape.stride % shape.taps;
    const Index o = index / shape.stride / shape.taps;
    float value = 0.0F;
    if (c < 2 * shape.in) {
      const bool lower = o >= shape.out;
      const bool right = c >= shape.in;
      value = parts[shape.part(lower != right, o % shape.out, c % shape.in, tap)];
      if (right && !lower) value = -value;
    }
    weight[index] = narrow<T>(value);
  }
};

/// The gradient of the parts from that of the real weights.
template <typename T>
struct FoldWeights {
  ComplexWeights shape;
  const T* weight;
  float* parts;

  OIDA_BOTH void operator()(Index index) const {
    const Index tap = index % shape.taps;
    const Index c = index / shape.taps % shape.in;
    const Index row = index / shape.taps / shape.in;
    const bool imaginary = row >= shape.out;
    const Index o = row % shape.out;
    const float straight = to_float(weight[shape.whole(o + (imaginary ? shape.out : 0), c, tap)]);
    const float other =
        to_float(weight[shape.whole(o + (imaginary ? 0 : shape.out), c + shape.in, tap)]);
    parts[index] = imaginary ? straight - other : straight + other;
  }
};

/// The longest number of each window; `where` as MaxPool's, for both parts. `index` in [n, out.h,
/// out.w, stride].
template <typename T>
struct ComplexMaxPool {
  Pool pool;
  const T* in;
  T* out;
  std::uint16_t* where;

  OIDA_BOTH float square(Index i, Index channel, Index row, Index col) const {
    const Index half = static_cast<Index>(pool.in.c) / 2;
    const float u = to_float(in[pool.in.at(i, channel, row, col)]);
    const float v = to_float(in[pool.in.at(i, half + channel, row, col)]);
    return u * u + v * v;
  }
  OIDA_BOTH void operator()(Index index) const {
    const Place to = place_of(pool.out, index);
    if (to.channel >= static_cast<Index>(pool.in.c)) return;  // padding stays 0
    const Index channel = to.channel % (static_cast<Index>(pool.in.c) / 2);
    const Index top = to.row * pool.stride;
    const Index left = to.col * pool.stride;
    Index best = 0;
    float longest = square(to.i, channel, top, left);
    for (Index k = 1; k < pool.kernel * pool.kernel; ++k) {
      const float other = square(to.i, channel, top + k / pool.kernel, left + k % pool.kernel);
      if (other > longest) {
        longest = other;
        best = k;
      }
    }
    out[index] =
        in[pool.in.at(to.i, to.channel, top + best / pool.kernel, left + best % pool.kernel)];
    where[index] = static_cast<std::uint16_t>(best);
  }
};

/// The number to which an element belongs.
template <typename T>
struct ComplexElement {
  float u, v, modulus;

  OIDA_BOTH ComplexElement(const Image& image, const T* values, const Place& at, Index channel)
      : u(to_float(values[image.at(at.i, channel, at.row, at.col)])),
        v(to_float(
            values[image.at(at.i, channel + static_cast<Index>(image.c) / 2, at.row, at.col)])),
        modulus(hypotf(u, v)) {}
};

template <typename T>
struct ModRelu {
  Image image;
  const float* bias;
  const T* in;
  T* out;

  OIDA_BOTH void operator()(Index index) const {
    const Place at = place_of(image, index);
    if (at.channel >= static_cast<Index>(image.c)) return;  // padding stays 0
    const Index channel = at.channel % (static_cast<Index>(image.c) / 2);
    const ComplexElement<T> number(image, in, at, channel);
    const float left = number.modulus + bias[channel];
    const float factor = number.modulus > 0.0F && left > 0.0F ? left / number.modulus : 0.0F;
    out[index] = narrow<T>(factor * to_float(in[index]));
  }
};

template <typename T>
struct ModReluBackward {
  Image image;
  const float* bias;
  const T* in;
  const T* d_out;
  T* d_in;

  OIDA_BOTH void operator()(Index index) const {
    const Place at = place_of(image, index);
    d_in[index] = narrow<T>(0.0F);
    if (at.channel >= static_cast<Index>(image.c)) return;
    const Index channel = at.channel % (static_cast<Index>(image.c) / 2);
    const ComplexElement<T> number(image, in, at, channel);
    const ComplexElement<T> slope(image, d_out, at, channel);
    if (!(number.modulus > 0.0F && number.modulus + bias[channel] > 0.0F)) return;
    const float along = (number.u * slope.u + number.v * slope.v) / number.modulus;
    const float part = to_float(in[index]) / number.modulus;
    const float lean = bias[channel] / number.modulus;
    d_in[index] = narrow<T>((1.0F + lean) * to_float(d_out[index]) - lean * along * part);
  }
};

/// Term of SumPieces (norm.hpp): the gradient of a mod_relu's bias.
template <typename T>
struct ModReluTerm {
  Image image;
  const float* bias;
  const T* in;
  const T* d_out;

  OIDA_BOTH float operator()(Index, Index channel, Index at) const {
    const Index half = static_cast<Index>(image.c) / 2;
    if (channel >= half) return 0.0F;
    const float u = to_float(in[at]);
    const float v = to_float(in[at + half]);
    const float modulus = hypotf(u, v);
    if (!(modulus > 0.0F && modulus + bias[channel] > 0.0F)) return 0.0F;
    return (u * to_float(d_out[at]) + v * to_float(d_out[at + half])) / modulus;
  }
};

template <typename T>
struct Magnitude {
  Image from, to;
  const T* in;
  T* out;

  OIDA_BOTH void operator()(Index index) const {
    const Place at = place_of(to, index);
    out[index] = narrow<T>(ComplexElement<T>(from, in, at, at.channel).modulus);
  }
};

template <typename T>
struct MagnitudeBackward {
  Image from, to;
  const T* in;
  const T* d_out;
  T* d_in;

  OIDA_BOTH void operator()(Index index) const {
    const Place at = place_of(from, index);
    d_in[index] = narrow<T>(0.0F);
    if (at.channel >= static_cast<Index>(from.c)) return;
    const Index channel = at.channel % static_cast<Index>(to.c);
    const float modulus = ComplexElement<T>(from, in, at, channel).modulus;
    if (!(modulus > 0.0F)) return;
    const float slope = to_float(d_out[to.at(at.i, channel, at.row, at.col)]);
    d_in[index] = narrow<T>(slope * to_float(in[index]) / modulus);
  }
};

}  // namespace oida::cuda
