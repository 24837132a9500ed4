#include <omp.h>

#include "engine/onednn/winograd_avx512.hpp"

namespace oida::onednn {
namespace {

/// How many tiles a thread works on at a time: V and M stay in the second-level cache.
int tiles_a_block(const WinogradShape& shape, const Tiling& tiling) {
  constexpr int kMost = 64;
  constexpr int kLeast = 12;
  const int share = tiling.total / (2 * shape.threads);
  return share > kMost ? kMost : (share < kLeast ? kLeast : share);
}

/// Floats from one frequency to the next in V and M.
struct Steps {
  Steps(const WinogradShape& shape, int tiles)
      : v(static_cast<std::size_t>(tiles * shape.in) + kSkew),
        m(static_cast<std::size_t>(tiles * shape.out) + kSkew) {}

  std::size_t total() const { return kFrequencies * (v + m); }

  std::size_t v, m;
};

/// The scratch of the calling thread.
struct Work {
  Work(const Steps& steps, float* scratch)
      : v_step(steps.v),
        m_step(steps.m),
        v(scratch + static_cast<std::size_t>(omp_get_thread_num()) * steps.total()),
        m(v + kFrequencies * v_step) {}

  std::size_t v_step, m_step;
  float* v;  // [36][tile][in]
  float* m;  // [36][tile][out]
};

/// m[kTiles][16 kVectors] = v[kTiles][used] u[used][16 kVectors].
template <int kVectors, int kTiles>
inline void multiply(const float* u, const float* v, float* m, int used, int in, int out) {
  __m512 sum[kTiles][kVectors];
#pragma GCC unroll 16
  for (int t = 0; t < kTiles; ++t) {
#pragma GCC unroll 4
    for (int o = 0; o < kVectors; ++o) sum[t][o] = _mm512_setzero_ps();
  }
  for (int k = 0; k < used; ++k) {
    __m512 filter[kVectors];
#pragma GCC unroll 4
    for (int o = 0; o < kVectors; ++o) filter[o] = _mm512_load_ps(u + (k * kVectors + o) * kLanes);
#pragma GCC unroll 16
    for (int t = 0; t < kTiles; ++t) {
      const __m512 value = _mm512_set1_ps(v[t * in + k]);
#pragma GCC unroll 4
      for (int o = 0; o < kVectors; ++o) sum[t][o] = _mm512_fmadd_ps(filter[o], value, sum[t][o]);
    }
  }
#pragma GCC unroll 16
  for (int t = 0; t < kTiles; ++t) {
#pragma GCC unroll 4
    for (int o = 0; o < kVectors; ++o) _mm512_store_ps(m + t * out + o * kLanes, sum[t][o]);
  }
}

/// One frequency and 16 kVectors channels of a block of tiles.
template <int kVectors, int kTiles>
void multiply_block(const WinogradShape& shape, const float* u, const float* v, float* m,
                    int tiles) {
  int t = 0;
  for (; t + kTiles <= tiles; t += kTiles) {
    multiply<kVectors, kTiles>(u, v + t * shape.in, m + t * shape.out, shape.used, shape.in,
                               shape.out);
  }
  for (; t + 4 <= tiles; t += 4) {
    multiply<kVectors, 4>(u, v + t * shape.in, m + t * shape.out, shape.used, shape.in, shape.out);
  }
  for (; t < tiles; ++t) {
    multiply<kVectors, 1>(u, v + t * shape.in, m + t * shape.out, shape.used, shape.in, shape.out);
  }
}

template <int kVectors, int kTiles>
void multiply_all(const WinogradShape& shape, const float* filter, const Work& work, int tiles) {
  const std::size_t part = static_cast<std::size_t>(shape.in) * kVectors * kLanes;
  for (int f = 0; f < kFrequencies; ++f) {
    for (int o = 0; o < shape.out; o += kVectors * kLanes) {
      multiply_block<kVectors, kTiles>(
          shape, filter, work.v + static_cast<std::size_t>(f) * work.v_step,
          work.m + static_cast<std::size_t>(f) * work.m_step + o, tiles);
      filter += part;
    }
  }
}

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

void finish_tile(const WinogradShape& shape, const Tiling& tiling, const Tile& tile,
                 const WinogradFinish& finish, const float* m, std::size_t step,
                 float* destination) {
  const bool pooled = finish.taken != nullptr;
  const Target target = pooled
                            ? target_of(tile.sample, tile.y / 2, tile.x / 2, tiling.out_height / 2,
                                        tiling.out_width / 2, 2, shape.out)
                            : target_of(tile.sample, tile.y, tile.x, tiling.out_height,
                                        tiling.out_width, 4, shape.out);
  for (int c = 0; c < shape.out; c += kLanes) {
    __m512 y[4][4];
    transform_back(m + c, step, y);
    const float* bias = finish.bias == nullptr ? nullptr : finish.bias + c;
    if (pooled) {
      store_pooled(target, y, bias, finish.lower, destination + c, finish.taken + c);
    } else if (finish.positive != nullptr) {
      store_masked(target, y, finish.positive + c, destination + c);
    } else {
      store_tile(target, y, bias, finish.lower, destination + c);
    }
  }
}

void transform_block(const WinogradShape& shape, const Tiling& tiling, const Image& image,
                     const Work& work, int first, int tiles) {
  for (int t = 0; t < tiles; ++t) {
    const Tile tile(tiling, first + t);
    for (int c = 0; c < shape.in; c += kLanes) {
      float* v = work.v + static_cast<std::size_t>(t * shape.in + c);
      if (image.taken == nullptr) {
        transform_tile<false>(image, tile.sample, tile.y - shape.pad, tile.x - shape.pad, c, v,
                              work.v_step);
      } else {
        transform_tile<true>(image, tile.sample, tile.y - shape.pad, tile.x - shape.pad, c, v,
                             work.v_step);
      }
    }
  }
}

void multiply_tiles(const WinogradShape& shape, const float* filter, const Work& work, int tiles) {
  switch (vectors_of(shape.out)) {
    case 4:
      return multiply_all<4, 6>(shape, filter, work, tiles);
    case 2:
      return multiply_all<2, 12>(shape, filter, work, tiles);
    default:
      return multiply_all<1, 16>(shape, filter, work, tiles);
  }
}

}  // namespace

std::size_t winograd_filter_size(const WinogradShape& shape) {
  return kFrequencies * static_cast<std::size_t>(shape.in) * static_cast<std::size_t>(shape.out);
}

std::size_t winograd_scratch_size(const WinogradShape& shape) {
  const Tiling tiling(shape);
  return static_cast<std::size_t>(shape.threads) *
         Steps(shape, tiles_a_block(shape, tiling)).total();
}

void winograd_convolve(const WinogradShape& shape, const WinogradSource& source,
                       const float* filter, const WinogradFinish& finish, float* destination,
                       float* scratch) {
  const Tiling tiling(shape);
  const Image image(source, shape.height, shape.width, shape.in);
  const int block = tiles_a_block(shape, tiling);
  const Steps steps(shape, block);
#pragma omp parallel for schedule(static) num_threads(shape.threads)
  for (int first = 0; first < tiling.total; first += block) {
    const Work work(steps, scratch);
    const int tiles = smaller(block, tiling.total - first);
    transform_block(shape, tiling, image, work, first, tiles);
    multiply_tiles(shape, filter, work, tiles);
    for (int t = 0; t < tiles; ++t) {
      finish_tile(shape, tiling, Tile(tiling, first + t), finish,
                  work.m + static_cast<std::size_t>(t * shape.out), work.m_step, destination);
    }
  }
}

}  // namespace oida::onednn
