#pragma once
// Pieces of the Winograd kernels; only for files compiled for AVX-512.

#include "engine/onednn/products_avx512.hpp"
#include "engine/onednn/winograd.hpp"

namespace oida::onednn {
namespace {

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

/// What an image is loaded from: values, a pooled gradient, or one with what is added to it.
enum class Load { plain, pooled, added };

/// An image or pooled gradient with the steps between its pixels, in values.
struct Image {
  Image(const WinogradSource& source, int height_, int width_, int channels_)
      : values(source.values),
        taken(source.taken),
        added(source.added),
        height(load() == Load::pooled ? height_ / 2 * 2 : height_),
        width(load() == Load::pooled ? width_ / 2 * 2 : width_),
        channels(channels_) {}

  Load load() const {
    if (taken == nullptr) return Load::plain;
    return added == nullptr ? Load::pooled : Load::added;
  }

  bool holds(int y, int x, int rows, int columns) const {
    return y >= 0 && x >= 0 && y + rows <= height && x + columns <= width;
  }

  const float* values;
  const std::uint8_t* taken;
  const float* added;
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

inline std::size_t place_of(const Image& image, int row, int channel) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(image.channels) +
         static_cast<std::size_t>(channel);
}

inline __m512 load_plain(const Image& image, const float* values, int sample, int y, int x,
                         int channel) {
  const int row = (sample * image.height + y) * image.width + x;
  return _mm512_loadu_ps(values + place_of(image, row, channel));
}

inline __m512 load_pooled(const Image& image, int sample, int y, int x, int channel) {
  const int row = (sample * (image.height / 2) + (y >> 1)) * (image.width / 2) + (x >> 1);
  const std::size_t at = place_of(image, row, channel);
  const __m128i place = _mm_set1_epi8(static_cast<char>((y & 1) * 2 + (x & 1)));
  const __m128i taken = _mm_loadu_si128(reinterpret_cast<const __m128i*>(image.taken + at));
  return _mm512_maskz_loadu_ps(_mm_cmpeq_epi8_mask(taken, place), image.values + at);
}

/// An odd last row or column belongs to no pool.
inline bool is_pooled(const Image& image, int y, int x) {
  return y < image.height / 2 * 2 && x < image.width / 2 * 2;
}

template <Load kLoad>
inline __m512 load_pixel(const Image& image, int sample, int y, int x, int channel) {
  if constexpr (kLoad == Load::plain) {
    return load_plain(image, image.values, sample, y, x, channel);
  } else if constexpr (kLoad == Load::pooled) {
    return load_pooled(image, sample, y, x, channel);
  } else {
    const __m512 added = load_plain(image, image.added, sample, y, x, channel);
    if (!is_pooled(image, y, x)) return added;
    return _mm512_add_ps(added, load_pooled(image, sample, y, x, channel));
  }
}

/// kRows pixels of one column; zero outside the image.
template <Load kLoad, int kRows>
inline void load_column(const Image& image, bool inside, int sample, int y, int x, int channel,
                        __m512* column) {
#pragma GCC unroll 6
  for (int i = 0; i < kRows; ++i) {
    const bool here = inside || image.holds(y + i, x, 1, 1);
    column[i] = here ? load_pixel<kLoad>(image, sample, y + i, x, channel) : _mm512_setzero_ps();
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
template <Load kLoad>
inline void transform_tile(const Image& image, int sample, int y, int x, int channel, float* v,
                           std::size_t step) {
  const bool inside = image.holds(y, x, 6, 6);
  __m512 half[6][6];
#pragma GCC unroll 6
  for (int j = 0; j < 6; ++j) {
    __m512 column[6];
    __m512 transformed[6];
    load_column<kLoad, 6>(image, inside, sample, y, x + j, channel, column);
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

/// The same with the image's own way of loading.
inline void transform_tile_any(const Image& image, int sample, int y, int x, int channel, float* v,
                               std::size_t step) {
  switch (image.load()) {
    case Load::plain:
      return transform_tile<Load::plain>(image, sample, y, x, channel, v, step);
    case Load::pooled:
      return transform_tile<Load::pooled>(image, sample, y, x, channel, v, step);
    case Load::added:
      return transform_tile<Load::added>(image, sample, y, x, channel, v, step);
  }
}

inline int smaller(int a, int b) {
  return a < b ? a : b;
}

}  // namespace
}  // namespace oida::onednn
