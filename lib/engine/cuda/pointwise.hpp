#pragma once
// What is done with one element of an activation: input, bias and relu, dropout. T: float or Bf16.

#include "engine/cuda/image.hpp"
#include "engine/cuda/numbers.hpp"
#include "engine/cuda/philox.hpp"

namespace oida::cuda {

/// out = in for the samples that count, else 0; `index` in [max_batch, h, w, stride].
template <typename T>
struct LoadInput {
  const float* in;
  const StepWords* words;
  Index sample;  // elements
  T* out;

  OIDA_BOTH void operator()(Index index) const {
    const bool counts = index / sample < static_cast<Index>(words->n);
    out[index] = narrow<T>(counts ? in[index] : 0.0F);
  }
};

/// One number format to the other.
template <typename From, typename To>
struct Convert {
  const From* in;
  To* out;

  OIDA_BOTH void operator()(Index index) const { out[index] = narrow<To>(to_float(in[index])); }
};

/// values [rows, channels] += bias, then relu where asked for.
template <typename T>
struct AddBias {
  T* values;
  const float* bias;
  Index channels;
  bool relu;

  OIDA_BOTH void operator()(Index index) const {
    const float sum = to_float(values[index]) + bias[index % channels];
    values[index] = narrow<T>(relu && sum < 0.0F ? 0.0F : sum);
  }
};

template <typename T>
struct Relu {
  const T* in;
  T* out;

  OIDA_BOTH void operator()(Index index) const {
    const float value = to_float(in[index]);
    out[index] = value < 0.0F ? narrow<T>(0.0F) : in[index];
  }
};

/// d_in = d_out where the relu's output is above 0, else 0.
template <typename T>
struct ReluBackward {
  const T* out;
  const T* d_out;
  T* d_in;

  OIDA_BOTH void operator()(Index index) const {
    d_in[index] = to_float(out[index]) > 0.0F ? d_out[index] : narrow<T>(0.0F);
  }
};

/// The bytes of engine/dropout.hpp, four at a time: `index` in [max_batch, (c h w + 3) / 4], whose
/// elements are counted in c, h, w order; keep [max_batch, h, w, stride].
struct DropoutMask {
  const StepWords* words;
  std::uint32_t layer;
  std::uint32_t dropped_below;
  Image image;
  std::uint8_t* keep;

  OIDA_BOTH Index elements() const { return static_cast<Index>(image.c) * image.pixels(); }
  OIDA_BOTH Index blocks() const { return (elements() + 3) / 4; }
  OIDA_BOTH void operator()(Index index) const {
    const Index block = index % blocks();
    const Index i = index / blocks();
    const Words4 drawn = philox({{block, i, layer, words->step}}, words->key[0], words->key[1]);
    for (Index k = 0; k < 4 && 4 * block + k < elements(); ++k) {
      const Index element = 4 * block + k;
      const Index pixel = element % image.pixels();
      keep[i * image.size() + pixel * static_cast<Index>(image.stride) + element / image.pixels()] =
          drawn.at[k] >= dropped_below ? 1 : 0;
    }
  }
};

/// Forward and backward alike.
template <typename T>
struct DropoutApply {
  const T* in;
  const std::uint8_t* keep;
  float scale;
  T* out;

  OIDA_BOTH void operator()(Index index) const {
    out[index] = narrow<T>(keep[index] != 0 ? to_float(in[index]) * scale : 0.0F);
  }
};

}  // namespace oida::cuda
