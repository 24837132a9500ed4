#include <omp.h>

#include "engine/onednn/winograd_avx512.hpp"

namespace oida::onednn {
namespace {

/// Tiles a block: the sums P are read and written once a block, V and Z stay in the second-level
/// cache.
int tiles_a_block(const WinogradShape& shape, const Tiling& tiling) {
  constexpr int kMost = 64;
  const int share = (tiling.total + shape.threads - 1) / shape.threads;
  return smaller(kMost, share);
}

/// Floats from one frequency to the next in V, Z and P.
struct Steps {
  Steps(const WinogradShape& shape, int tiles)
      : v(static_cast<std::size_t>(tiles * shape.in) + kSkew),
        z(static_cast<std::size_t>(tiles * shape.out) + kSkew),
        p(static_cast<std::size_t>(shape.in * shape.out) + kSkew),
        bias(static_cast<std::size_t>(shape.out)) {}

  std::size_t total() const { return kFrequencies * (v + z + p) + bias; }

  std::size_t v, z, p, bias;
};

/// The scratch of one thread.
struct Work {
  Work(const Steps& steps, float* scratch, int thread)
      : step(steps),
        v(scratch + static_cast<std::size_t>(thread) * steps.total()),
        z(v + kFrequencies * steps.v),
        p(z + kFrequencies * steps.z),
        bias(p + kFrequencies * steps.p) {}

  void clear() const {
    for (std::size_t i = 0; i < kFrequencies * step.p + step.bias; ++i) p[i] = 0.0F;
  }

  const Steps& step;
  float* v;     // [36][tile][in]
  float* z;     // [36][tile][out]
  float* p;     // [36][in][out]
  float* bias;  // [out]
};

/// A y: four gradients of outputs to six frequencies.
inline void transform_diff(const __m512* y, __m512* z) {
  const __m512 two = _mm512_set1_ps(2.0F);
  const __m512 four = _mm512_set1_ps(4.0F);
  const __m512 even = _mm512_add_ps(y[0], y[2]);
  const __m512 odd = _mm512_add_ps(y[1], y[3]);
  const __m512 even4 = _mm512_fmadd_ps(four, y[2], y[0]);
  const __m512 odd4 = _mm512_fmadd_ps(four, y[3], y[1]);
  z[0] = y[0];
  z[1] = _mm512_add_ps(even, odd);
  z[2] = _mm512_sub_ps(even, odd);
  z[3] = _mm512_fmadd_ps(two, odd4, even4);
  z[4] = _mm512_fnmadd_ps(two, odd4, even4);
  z[5] = y[3];
}

/// A y A^T of one tile and 16 channels; adds the sum of its outputs to `bias`.
template <Load kLoad>
inline void transform_diff_tile(const Image& image, const Tile& tile, int channel, float* z,
                                std::size_t step, float* bias) {
  const bool inside = image.holds(tile.y, tile.x, 4, 4);
  __m512 half[6][4];
  __m512 sum = _mm512_loadu_ps(bias);
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    __m512 column[4];
    __m512 transformed[6];
    load_column<kLoad, 4>(image, inside, tile.sample, tile.y, tile.x + j, channel, column);
    transform_diff(column, transformed);
    sum = _mm512_add_ps(sum, transformed[1]);
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) half[i][j] = transformed[i];
  }
  _mm512_storeu_ps(bias, sum);
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    __m512 row[6];
    transform_diff(half[i], row);
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j)
      _mm512_store_ps(z + static_cast<std::size_t>(i * 6 + j) * step, row[j]);
  }
}

template <int kVectors, int kRows>
void accumulate_all(const WinogradShape& shape, const Work& work, int tiles) {
  for (int f = 0; f < kFrequencies; ++f) {
    const float* v = work.v + static_cast<std::size_t>(f) * work.step.v;
    const float* z = work.z + static_cast<std::size_t>(f) * work.step.z;
    float* p = work.p + static_cast<std::size_t>(f) * work.step.p;
    for (int o = 0; o < shape.out; o += kVectors * kLanes) {
      int i = 0;
      for (; i + kRows <= shape.used; i += kRows) {
        accumulate<kVectors, kRows>(v + i, z + o, p + i * shape.out + o, tiles, shape.in,
                                    shape.out);
      }
      for (; i < shape.used; ++i) {
        accumulate<kVectors, 1>(v + i, z + o, p + i * shape.out + o, tiles, shape.in, shape.out);
      }
    }
  }
}

void accumulate_tiles(const WinogradShape& shape, const Work& work, int tiles) {
  switch (vectors_of(shape.out)) {
    case 4:
      return accumulate_all<4, 4>(shape, work, tiles);
    case 2:
      return accumulate_all<2, 8>(shape, work, tiles);
    default:
      return accumulate_all<1, 8>(shape, work, tiles);
  }
}

template <Load kLoad>
void transform_block(const WinogradShape& shape, const Tiling& tiling, const Images& source,
                     const Image& diff, const Work& work, int first, int tiles) {
  for (int t = 0; t < tiles; ++t) {
    const Tile tile(tiling, first + t);
    for (int c = 0; c < shape.in; c += kLanes) {
      transform_tile<Load::plain>(source.of(c), tile.sample, tile.y - shape.pad, tile.x - shape.pad,
                                  source.place(c),
                                  work.v + static_cast<std::size_t>(t * shape.in + c), work.step.v);
    }
    for (int c = 0; c < shape.out; c += kLanes) {
      transform_diff_tile<kLoad>(diff, tile, c,
                                 work.z + static_cast<std::size_t>(t * shape.out + c), work.step.z,
                                 work.bias + c);
    }
  }
}

void transform_any(const WinogradShape& shape, const Tiling& tiling, const Images& source,
                   const Image& diff, const Work& work, int first, int tiles) {
  switch (diff.load()) {
    case Load::plain:
      return transform_block<Load::plain>(shape, tiling, source, diff, work, first, tiles);
    case Load::pooled:
      return transform_block<Load::pooled>(shape, tiling, source, diff, work, first, tiles);
    case Load::added:
      return transform_block<Load::added>(shape, tiling, source, diff, work, first, tiles);
  }
}

/// G^T p: six frequencies to three taps.
inline void transform_taps(const __m512* p, __m512* g) {
  const __m512 quarter = _mm512_set1_ps(1.0F / 4);
  const __m512 sixth = _mm512_set1_ps(1.0F / 6);
  const __m512 twelfth = _mm512_set1_ps(1.0F / 12);
  const __m512 sum1 = _mm512_add_ps(p[1], p[2]);
  const __m512 sum2 = _mm512_add_ps(p[3], p[4]);
  const __m512 difference1 = _mm512_sub_ps(p[2], p[1]);
  const __m512 difference2 = _mm512_sub_ps(p[3], p[4]);
  const __m512 half2 = _mm512_mul_ps(_mm512_set1_ps(1.0F / 24), sum2);
  g[0] = _mm512_fmadd_ps(quarter, p[0], _mm512_fnmadd_ps(sixth, sum1, half2));
  g[1] = _mm512_fmadd_ps(sixth, difference1, _mm512_mul_ps(twelfth, difference2));
  g[2] = _mm512_fmadd_ps(sixth, _mm512_sub_ps(sum2, sum1), p[5]);
}

/// Sum over threads of one vector of their P.
inline __m512 sum_of(const WinogradShape& shape, const Steps& steps, const float* p) {
  __m512 sum = _mm512_load_ps(p);
  for (int thread = 1; thread < shape.threads; ++thread) {
    sum = _mm512_add_ps(sum, _mm512_load_ps(p + static_cast<std::size_t>(thread) * steps.total()));
  }
  return sum;
}

/// G^T P G of 16 filters, into their nine taps.
void finish_filters(const WinogradShape& shape, const Steps& steps, const float* p, float* weight) {
  __m512 half[3][6];
  for (int j = 0; j < 6; ++j) {
    __m512 column[6];
    __m512 taps[3];
    for (int i = 0; i < 6; ++i) {
      column[i] = sum_of(shape, steps, p + static_cast<std::size_t>(i * 6 + j) * steps.p);
    }
    transform_taps(column, taps);
    for (int i = 0; i < 3; ++i) half[i][j] = taps[i];
  }
  const std::ptrdiff_t tap = static_cast<std::ptrdiff_t>(shape.in) * shape.out;
  for (int i = 0; i < 3; ++i) {
    __m512 taps[3];
    transform_taps(half[i], taps);
    for (int j = 0; j < 3; ++j) _mm512_storeu_ps(weight + (i * 3 + j) * tap, taps[j]);
  }
}

void finish(const WinogradShape& shape, const Steps& steps, float* scratch, float* weight,
            float* bias) {
  const Work first(steps, scratch, 0);
#pragma omp for schedule(static)
  for (int i = 0; i < shape.in; ++i) {
    for (int o = 0; o < shape.out; o += kLanes) {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * shape.out + o;
      finish_filters(shape, steps, first.p + at, weight + at);
    }
  }
#pragma omp for schedule(static)
  for (int o = 0; o < shape.out; o += kLanes) {
    _mm512_storeu_ps(bias + o, sum_of(shape, steps, first.bias + o));
  }
}

}  // namespace

std::size_t winograd_gradient_scratch_size(const WinogradShape& shape) {
  return static_cast<std::size_t>(shape.threads) *
         Steps(shape, tiles_a_block(shape, Tiling(shape))).total();
}

void winograd_gradient(const WinogradShape& shape, const WinogradSource& source,
                       const WinogradSource& diff, float* weight, float* bias, float* scratch) {
  const Tiling tiling(shape);
  const Images images(source, shape.height, shape.width, shape.in);
  const Image gradient(diff, tiling.out_height, tiling.out_width, shape.out);
  const int block = tiles_a_block(shape, tiling);
  const Steps steps(shape, block);
#pragma omp parallel num_threads(shape.threads)
  {
    const Work work(steps, scratch, omp_get_thread_num());
    work.clear();
#pragma omp for schedule(static)
    for (int first = 0; first < tiling.total; first += block) {
      const int tiles = smaller(block, tiling.total - first);
      transform_any(shape, tiling, images, gradient, work, first, tiles);
      accumulate_tiles(shape, work, tiles);
    }
    finish(shape, steps, scratch, weight, bias);
  }
}

}  // namespace oida::onednn
