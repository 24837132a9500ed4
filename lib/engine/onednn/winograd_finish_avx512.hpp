#pragma once
// The way out of winograd_convolve: back from 36 frequencies to 4x4 outputs, and what is fused to
// that. Only for the file that does it, compiled for AVX-512.

#include "engine/onednn/winograd_avx512.hpp"

namespace oida::onednn {
namespace {

/// A^T m: six frequencies to four outputs.
inline void transform_output(const __m512* m, __m512* y) {
  const __m512 two = _mm512_set1_ps(2.0F);
  const __m512 four = _mm512_set1_ps(4.0F);
  const __m512 eight = _mm512_set1_ps(8.0F);
  const __m512 sum1 = _mm512_add_ps(m[1], m[2]);
  const __m512 sum2 = _mm512_add_ps(m[3], m[4]);
  const __m512 difference1 = _mm512_sub_ps(m[1], m[2]);
  const __m512 difference2 = _mm512_sub_ps(m[3], m[4]);
  y[0] = _mm512_add_ps(_mm512_add_ps(m[0], sum1), sum2);
  y[1] = _mm512_fmadd_ps(two, difference2, difference1);
  y[2] = _mm512_fmadd_ps(four, sum2, sum1);
  y[3] = _mm512_add_ps(_mm512_fmadd_ps(eight, difference2, difference1), m[5]);
}

/// A^T m A of one tile and 16 channels.
inline void transform_back(const float* m, std::size_t step, __m512 y[4][4]) {
  __m512 half[4][6];
#pragma GCC unroll 6
  for (int j = 0; j < 6; ++j) {
    __m512 column[6];
    __m512 transformed[4];
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i)
      column[i] = _mm512_load_ps(m + static_cast<std::size_t>(i * 6 + j) * step);
    transform_output(column, transformed);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) half[i][j] = transformed[i];
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) transform_output(half[i], y[i]);
}

/// Where a tile's outputs go: `rows` x `columns` of them lie on the image.
struct Target {
  std::size_t first;  // value of its first pixel and channel
  std::size_t row;    // values from one row to the next
  std::size_t pixel;
  int rows, columns;
};

inline Target target_of(int sample, int y, int x, int height, int width, int side, int channels) {
  const auto pixel = static_cast<std::size_t>(channels);
  const int first = (sample * height + y) * width + x;
  return {static_cast<std::size_t>(first) * pixel, static_cast<std::size_t>(width) * pixel, pixel,
          smaller(side, height - y), smaller(side, width - x)};
}

inline void store_tile(const Target& target, const __m512 y[4][4], const float* bias, float lower,
                       float* destination) {
  const __m512 offset = bias == nullptr ? _mm512_setzero_ps() : _mm512_loadu_ps(bias);
  const __m512 floor = _mm512_set1_ps(lower);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      if (i >= target.rows || j >= target.columns) continue;
      _mm512_storeu_ps(destination + target.first + static_cast<std::size_t>(i) * target.row +
                           static_cast<std::size_t>(j) * target.pixel,
                       _mm512_max_ps(floor, _mm512_add_ps(y[i][j], offset)));
    }
  }
}

inline void store_masked(const Target& target, const __m512 y[4][4], const float* positive,
                         float* destination) {
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      if (i >= target.rows || j >= target.columns) continue;
      const std::size_t at = target.first + static_cast<std::size_t>(i) * target.row +
                             static_cast<std::size_t>(j) * target.pixel;
      const __mmask16 open =
          _mm512_cmp_ps_mask(_mm512_loadu_ps(positive + at), _mm512_setzero_ps(), _CMP_GT_OQ);
      _mm512_storeu_ps(destination + at, _mm512_maskz_mov_ps(open, y[i][j]));
    }
  }
}

/// The largest of four, and which it was: the first of equal ones.
inline __m512 largest_of(__m512 a, __m512 b, __m512 c, __m512 d, __m128i& place) {
  const __mmask16 right1 = _mm512_cmp_ps_mask(b, a, _CMP_GT_OQ);
  const __mmask16 right2 = _mm512_cmp_ps_mask(d, c, _CMP_GT_OQ);
  const __m512 upper = _mm512_max_ps(b, a);
  const __m512 below = _mm512_max_ps(d, c);
  const __mmask16 down = _mm512_cmp_ps_mask(below, upper, _CMP_GT_OQ);
  const __m128i first = _mm_maskz_set1_epi8(right1, 1);
  const __m128i second = _mm_mask_blend_epi8(right2, _mm_set1_epi8(2), _mm_set1_epi8(3));
  place = _mm_mask_blend_epi8(down, first, second);
  return _mm512_max_ps(below, upper);
}

inline void store_pooled(const Target& target, const __m512 y[4][4], const float* bias, float lower,
                         float* destination, std::uint8_t* taken) {
  const __m512 offset = _mm512_loadu_ps(bias);
  const __m512 floor = _mm512_set1_ps(lower);
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      if (i >= target.rows || j >= target.columns) continue;
      const std::size_t at = target.first + static_cast<std::size_t>(i) * target.row +
                             static_cast<std::size_t>(j) * target.pixel;
      __m128i place;
      const __m512 largest = largest_of(y[2 * i][2 * j], y[2 * i][2 * j + 1], y[2 * i + 1][2 * j],
                                        y[2 * i + 1][2 * j + 1], place);
      _mm512_storeu_ps(destination + at, _mm512_max_ps(floor, _mm512_add_ps(largest, offset)));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(taken + at), place);
    }
  }
}

/// What of a destination that may stand in two a tile's 16 channels from `c` on belong to.
struct Part {
  Part(const WinogradShape& shape, const WinogradFinish& finish, float* destination, int c)
      : beyond(finish.rest.values != nullptr && c >= finish.rest.split),
        place(beyond ? c - finish.rest.split : c),
        values(beyond ? finish.rest.values : destination),
        positive(beyond ? finish.rest.positive : finish.positive),
        channels(finish.rest.values == nullptr ? shape.out
                 : beyond                      ? shape.out - finish.rest.split
                                               : finish.rest.split) {}

  bool beyond;
  int place;
  float* values;
  const float* positive;
  int channels;
};

inline void finish_tile(const WinogradShape& shape, const Tiling& tiling, const Tile& tile,
                        const WinogradFinish& finish, const float* m, std::size_t step,
                        float* destination) {
  const bool pooled = finish.taken != nullptr;
  for (int c = 0; c < shape.out; c += kLanes) {
    __m512 y[4][4];
    transform_back(m + c, step, y);
    const float* bias = finish.bias == nullptr ? nullptr : finish.bias + c;
    const Part part(shape, finish, destination, c);
    const Target target = pooled
                              ? target_of(tile.sample, tile.y / 2, tile.x / 2,
                                          tiling.out_height / 2, tiling.out_width / 2, 2, shape.out)
                              : target_of(tile.sample, tile.y, tile.x, tiling.out_height,
                                          tiling.out_width, 4, part.channels);
    if (finish.whole != nullptr) {
      store_tile(
          target_of(tile.sample, tile.y, tile.x, tiling.out_height, tiling.out_width, 4, shape.out),
          y, bias, finish.lower, finish.whole + c);
    }
    if (pooled) {
      store_pooled(target, y, bias, finish.lower, destination + c, finish.taken + c);
    } else if (part.positive != nullptr) {
      store_masked(target, y, part.positive + part.place, part.values + part.place);
    } else {
      store_tile(target, y, bias, finish.lower, part.values + part.place);
    }
  }
}

}  // namespace
}  // namespace oida::onednn
