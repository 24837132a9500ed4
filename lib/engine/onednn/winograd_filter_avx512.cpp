#include "engine/onednn/winograd_avx512.hpp"

namespace oida::onednn {
namespace {

/// G: three taps to six frequencies.
constexpr float kTaps[6][3] = {{1.0F / 4, 0.0F, 0.0F},
                               {-1.0F / 6, -1.0F / 6, -1.0F / 6},
                               {-1.0F / 6, 1.0F / 6, -1.0F / 6},
                               {1.0F / 24, 1.0F / 12, 1.0F / 6},
                               {1.0F / 24, -1.0F / 12, 1.0F / 6},
                               {0.0F, 0.0F, 1.0F}};

inline __m512 combine(int f, __m512 a, __m512 b, __m512 c) {
  const __m512 last = _mm512_mul_ps(_mm512_set1_ps(kTaps[f][2]), c);
  return _mm512_fmadd_ps(_mm512_set1_ps(kTaps[f][0]), a,
                         _mm512_fmadd_ps(_mm512_set1_ps(kTaps[f][1]), b, last));
}

/// G g G^T of 16 filters; `tap` floats from one of the nine taps to the next, read backwards when
/// that is negative; `step` floats from one frequency to the next.
inline void transform_filter(const float* taps, std::ptrdiff_t tap, float* u, std::size_t step) {
  __m512 half[6][3];
#pragma GCC unroll 3
  for (int j = 0; j < 3; ++j) {
    const __m512 a = _mm512_loadu_ps(taps + j * tap);
    const __m512 b = _mm512_loadu_ps(taps + (3 + j) * tap);
    const __m512 c = _mm512_loadu_ps(taps + (6 + j) * tap);
#pragma GCC unroll 6
    for (int f = 0; f < 6; ++f) half[f][j] = combine(f, a, b, c);
  }
#pragma GCC unroll 6
  for (int f = 0; f < 6; ++f) {
#pragma GCC unroll 6
    for (int g = 0; g < 6; ++g) {
      _mm512_store_ps(u + static_cast<std::size_t>(f * 6 + g) * step,
                      combine(g, half[f][0], half[f][1], half[f][2]));
    }
  }
}

/// Where a filter's 16 channels from `o` on stand in U[36][out / block][in][block].
inline float* place_of(const WinogradShape& shape, float* filter, int i, int o) {
  const int block = vectors_of(shape.out) * kLanes;
  return filter + static_cast<std::ptrdiff_t>(o / block) * shape.in * block + i * block + o % block;
}

/// Exchanges lanes of 16 vectors at distance `s` of both: after s = 1, 2, 4, 8 they are transposed.
inline void exchange(__m512* rows, int s) {
  alignas(64) int low[kLanes];
  alignas(64) int high[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    low[lane] = (lane & s) == 0 ? lane : kLanes + lane - s;
    high[lane] = (lane & s) == 0 ? lane + s : kLanes + lane;
  }
  const __m512i take_low = _mm512_load_si512(low);
  const __m512i take_high = _mm512_load_si512(high);
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) {
    if ((i & s) != 0) continue;
    const __m512 a = rows[i];
    const __m512 b = rows[i + s];
    rows[i] = _mm512_permutex2var_ps(a, take_low, b);
    rows[i + s] = _mm512_permutex2var_ps(a, take_high, b);
  }
}

/// to[j][i] = from[i][j], 16 x 16; `pitch` floats from one row of `to` to the next.
inline void transpose(const float* from, float* to, std::ptrdiff_t pitch) {
  __m512 rows[kLanes];
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) rows[i] = _mm512_load_ps(from + i * kLanes);
  exchange(rows, 1);
  exchange(rows, 2);
  exchange(rows, 4);
  exchange(rows, 8);
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) _mm512_store_ps(to + i * pitch, rows[i]);
}

}  // namespace

void winograd_filter(const WinogradShape& shape, const float* weight, float* filter) {
  const auto size = static_cast<std::size_t>(shape.in) * static_cast<std::size_t>(shape.out);
#pragma omp parallel for schedule(static) num_threads(shape.threads)
  for (int i = 0; i < shape.used; ++i) {
    for (int o = 0; o < shape.out; o += kLanes) {
      transform_filter(weight + static_cast<std::ptrdiff_t>(i) * shape.out + o,
                       static_cast<std::ptrdiff_t>(size), place_of(shape, filter, i, o), size);
    }
  }
}

void winograd_filter_back(const WinogradShape& shape, const float* weight, float* filter) {
  const auto size = static_cast<std::size_t>(shape.in) * static_cast<std::size_t>(shape.out);
  const auto tap = static_cast<std::ptrdiff_t>(size);
  const std::ptrdiff_t pitch = vectors_of(shape.out) * kLanes;
#pragma omp parallel for schedule(static) num_threads(shape.threads)
  for (int o = 0; o < shape.out; o += kLanes) {
    alignas(64) float square[kFrequencies][kLanes * kLanes];
    for (int i = 0; i < shape.in; i += kLanes) {
      for (int k = 0; k < kLanes; ++k) {
        const float* taps = weight + 8 * tap + static_cast<std::ptrdiff_t>(o + k) * shape.in + i;
        transform_filter(taps, -tap, square[0] + k * kLanes, kLanes * kLanes);
      }
      float* u = place_of(shape, filter, i, o);
      for (int f = 0; f < kFrequencies; ++f) {
        transpose(square[f], u + static_cast<std::size_t>(f) * size, pitch);
      }
    }
  }
}

}  // namespace oida::onednn
