#pragma once
// Products of small matrices in registers; only for files compiled for AVX-512.

#include <immintrin.h>

namespace oida::onednn {
namespace {

constexpr int kLanes = 16;

/// Vectors of 16 columns that one product works on at a time.
inline int vectors_of(int columns) {
  if (columns % (4 * kLanes) == 0) return 4;
  return columns % (2 * kLanes) == 0 ? 2 : 1;
}

/// m[kTiles][16 kVectors] = start + v[kTiles][used] u[used][16 kVectors]; `pitch` floats from one
/// row of u to the next, `in` of v, `out` of m. No start is zero.
template <int kVectors, int kTiles>
inline void multiply(const float* u, int pitch, const float* v, const float* start, float* m,
                     int used, int in, int out) {
  __m512 sum[kTiles][kVectors];
#pragma GCC unroll 16
  for (int t = 0; t < kTiles; ++t) {
#pragma GCC unroll 4
    for (int o = 0; o < kVectors; ++o) {
      sum[t][o] = start == nullptr ? _mm512_setzero_ps() : _mm512_loadu_ps(start + o * kLanes);
    }
  }
  for (int k = 0; k < used; ++k) {
    __m512 filter[kVectors];
#pragma GCC unroll 4
    for (int o = 0; o < kVectors; ++o) filter[o] = _mm512_load_ps(u + k * pitch + o * kLanes);
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
    for (int o = 0; o < kVectors; ++o) _mm512_storeu_ps(m + t * out + o * kLanes, sum[t][o]);
  }
}

/// p[kRows][16 kVectors] += v[tiles][kRows]^T z[tiles][16 kVectors].
template <int kVectors, int kRows>
inline void accumulate(const float* v, const float* z, float* p, int tiles, int in, int out) {
  __m512 sum[kRows][kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int o = 0; o < kVectors; ++o) sum[i][o] = _mm512_load_ps(p + i * out + o * kLanes);
  }
  for (int t = 0; t < tiles; ++t) {
    __m512 diff[kVectors];
#pragma GCC unroll 4
    for (int o = 0; o < kVectors; ++o) diff[o] = _mm512_loadu_ps(z + t * out + o * kLanes);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const __m512 value = _mm512_set1_ps(v[t * in + i]);
#pragma GCC unroll 4
      for (int o = 0; o < kVectors; ++o) sum[i][o] = _mm512_fmadd_ps(diff[o], value, sum[i][o]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int o = 0; o < kVectors; ++o) _mm512_store_ps(p + i * out + o * kLanes, sum[i][o]);
  }
}

}  // namespace
}  // namespace oida::onednn
