#pragma once
// Pieces of the Winograd kernels; only for files compiled for AVX-512.

#include <immintrin.h>

#include "engine/onednn/winograd.hpp"

namespace oida::onednn {
namespace {

constexpr int kLanes = 16;
constexpr int kFrequencies = 36;
/// Added to the distance of frequencies, so that they do not fall on the same cache sets.
constexpr std::size_t kSkew = 16;

struct Tiling {
  explicit Tiling(const WinogradShape& shape)
      : out_height(shape.height + 2 * shape.pad - 2),
        out_width(shape.width + 2 * shape.pad - 2),
        rows((out_height + 3) / 4),
        columns((out_width + 3) / 4),
        total(shape.samples * rows * columns) {}

  int out_height, out_width;
  int rows, columns;
  int total;
};

/// A tile's sample and the row and column of its first output.
struct Tile {
  Tile(const Tiling& tiling, int index)
      : sample(index / (tiling.rows * tiling.columns)),
        y(index / tiling.columns % tiling.rows * 4),
        x(index % tiling.columns * 4) {}

  int sample, y, x;
};

/// An image or pooled gradient with the steps between its pixels, in values.
struct Image {
  Image(const WinogradSource& source, int height_, int width_, int channels_)
      : values(source.values),
        taken(source.taken),
        height(taken == nullptr ? height_ : height_ / 2 * 2),
        width(taken == nullptr ? width_ : width_ / 2 * 2),
        channels(channels_) {}

  bool holds(int y, int x, int rows, int columns) const {
    return y >= 0 && x >= 0 && y + rows <= height && x + columns <= width;
  }

  const float* values;
  const std::uint8_t* taken;
  int height, width;
  int channels;
};

/// A source that may stand in two images, by channel.
struct Images {
  Images(const WinogradSource& source, int height, int width, int channels)
      : split(source.more == nullptr ? channels : source.split),
        first(source, height, width, split),
        second({source.more, nullptr}, height, width, channels - split) {}

  const Image& of(int channel) const { return channel < split ? first : second; }
  int place(int channel) const { return channel < split ? channel : channel - split; }

  int split;
  Image first, second;
};

template <bool kPooled>
inline __m512 load_pixel(const Image& image, int sample, int y, int x, int channel) {
  if constexpr (kPooled) {
    const int row = (sample * (image.height / 2) + (y >> 1)) * (image.width / 2) + (x >> 1);
    const std::size_t at =
        static_cast<std::size_t>(row) * static_cast<std::size_t>(image.channels) +
        static_cast<std::size_t>(channel);
    const __m128i place = _mm_set1_epi8(static_cast<char>((y & 1) * 2 + (x & 1)));
    const __m128i taken = _mm_loadu_si128(reinterpret_cast<const __m128i*>(image.taken + at));
    return _mm512_maskz_loadu_ps(_mm_cmpeq_epi8_mask(taken, place), image.values + at);
  } else {
    const int row = (sample * image.height + y) * image.width + x;
    return _mm512_loadu_ps(
        image.values + static_cast<std::size_t>(row) * static_cast<std::size_t>(image.channels) +
        static_cast<std::size_t>(channel));
  }
}

/// kRows pixels of one column; zero outside the image.
template <bool kPooled, int kRows>
inline void load_column(const Image& image, bool inside, int sample, int y, int x, int channel,
                        __m512* column) {
#pragma GCC unroll 6
  for (int i = 0; i < kRows; ++i) {
    const bool here = inside || image.holds(y + i, x, 1, 1);
    column[i] = here ? load_pixel<kPooled>(image, sample, y + i, x, channel) : _mm512_setzero_ps();
  }
}

/// B^T d: six inputs to six frequencies.
inline void transform_input(const __m512* d, __m512* v) {
  const __m512 two = _mm512_set1_ps(2.0F);
  const __m512 four = _mm512_set1_ps(4.0F);
  const __m512 five = _mm512_set1_ps(5.0F);
  const __m512 even = _mm512_fnmadd_ps(four, d[2], d[4]);
  const __m512 odd = _mm512_fnmadd_ps(four, d[1], d[3]);
  const __m512 outer = _mm512_sub_ps(d[4], d[2]);
  const __m512 inner = _mm512_sub_ps(d[3], d[1]);
  v[0] = _mm512_fnmadd_ps(five, d[2], _mm512_fmadd_ps(four, d[0], d[4]));
  v[1] = _mm512_add_ps(even, odd);
  v[2] = _mm512_sub_ps(even, odd);
  v[3] = _mm512_fmadd_ps(two, inner, outer);
  v[4] = _mm512_fnmadd_ps(two, inner, outer);
  v[5] = _mm512_fnmadd_ps(five, d[3], _mm512_fmadd_ps(four, d[1], d[5]));
}

/// B^T d B of one tile and 16 channels; `step` floats from one frequency to the next.
template <bool kPooled>
inline void transform_tile(const Image& image, int sample, int y, int x, int channel, float* v,
                           std::size_t step) {
  const bool inside = image.holds(y, x, 6, 6);
  __m512 half[6][6];
#pragma GCC unroll 6
  for (int j = 0; j < 6; ++j) {
    __m512 column[6];
    __m512 transformed[6];
    load_column<kPooled, 6>(image, inside, sample, y, x + j, channel, column);
    transform_input(column, transformed);
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) half[i][j] = transformed[i];
  }
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    __m512 row[6];
    transform_input(half[i], row);
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j)
      _mm512_store_ps(v + static_cast<std::size_t>(i * 6 + j) * step, row[j]);
  }
}

inline int smaller(int a, int b) {
  return a < b ? a : b;
}

/// Vectors of the destination's channels that one multiplication works on at a time.
inline int vectors_of(int channels) {
  if (channels % (4 * kLanes) == 0) return 4;
  return channels % (2 * kLanes) == 0 ? 2 : 1;
}

}  // namespace
}  // namespace oida::onednn
