#include "engine/onednn/half_pool_avx512.hpp"

#include <immintrin.h>

namespace oida::onednn {
namespace {

constexpr int kLanes = 16;

inline __m256i load(const std::uint16_t* values) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
}

inline void store(std::uint16_t* values, __m256i vector) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(values), vector);
}

inline __m512 widen(__m256i values) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(values), 16));
}

/// The larger so far and its place, against a later one.
inline void contend(__m256i value, int place, __m256i& largest, __m128i& taken) {
  const __mmask16 larger = _mm512_cmp_ps_mask(widen(value), widen(largest), _CMP_GT_OQ);
  largest = _mm256_mask_mov_epi16(largest, larger, value);
  taken = _mm_mask_mov_epi8(taken, larger, _mm_set1_epi8(static_cast<char>(place)));
}

}  // namespace

void halve_row_bf16(const std::uint16_t* from, std::ptrdiff_t row, int columns, int channels,
                    std::uint16_t* to, std::uint8_t* taken) {
  for (int x = 0; x < columns; ++x, from += 2 * channels, to += channels, taken += channels) {
    for (int c = 0; c < channels; c += kLanes) {
      __m256i largest = load(from + c);
      __m128i place = _mm_setzero_si128();
      contend(load(from + channels + c), 1, largest, place);
      contend(load(from + row + c), 2, largest, place);
      contend(load(from + row + channels + c), 3, largest, place);
      store(to + c, largest);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(taken + c), place);
    }
  }
}

void spread_row_bf16(const std::uint16_t* diff, const std::uint8_t* taken, int columns,
                     int channels, std::uint16_t* to, std::ptrdiff_t row) {
  for (int x = 0; x < columns; ++x, diff += channels, taken += channels, to += 2 * channels) {
    for (int c = 0; c < channels; c += kLanes) {
      const __m256i value = load(diff + c);
      const __m128i place = _mm_loadu_si128(reinterpret_cast<const __m128i*>(taken + c));
      const auto at = [&](int which) {
        const __m128i here = _mm_set1_epi8(static_cast<char>(which));
        return _mm256_maskz_mov_epi16(_mm_cmpeq_epi8_mask(place, here), value);
      };
      store(to + c, at(0));
      store(to + channels + c, at(1));
      store(to + row + c, at(2));
      store(to + row + channels + c, at(3));
    }
  }
}

}  // namespace oida::onednn
