#include "engine/onednn/bf16_avx512.hpp"

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

/// The upper halves of 16 floats, rounded to nearest even.
inline __m256i round_to_bf16(__m512 values) {
  const __m512i bits = _mm512_castps_si512(values);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i half = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
  const __mmask16 nan = _mm512_cmp_ps_mask(values, values, _CMP_UNORD_Q);
  const __m512i quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x00400000));
  const __m512i rounded = _mm512_mask_mov_epi32(_mm512_add_epi32(bits, half), nan, quiet);
  return _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16));
}

/// The larger so far and its place, against a later one.
inline void contend(__m256i value, int place, __m256i& largest, __m128i& taken) {
  const __mmask16 larger = _mm512_cmp_ps_mask(widen(value), widen(largest), _CMP_GT_OQ);
  largest = _mm256_mask_mov_epi16(largest, larger, value);
  taken = _mm_mask_mov_epi8(taken, larger, _mm_set1_epi8(static_cast<char>(place)));
}

}  // namespace

void narrow_bf16(const float* from, std::size_t size, std::uint16_t* to) {
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) store(to + i, round_to_bf16(_mm512_loadu_ps(from + i)));
  const auto rest = static_cast<__mmask16>((1U << (size - i)) - 1U);
  const __m256i last = round_to_bf16(_mm512_maskz_loadu_ps(rest, from + i));
  _mm256_mask_storeu_epi16(to + i, rest, last);
}

void mask_bf16(const std::uint16_t* value, std::size_t size, std::uint16_t* diff) {
  constexpr std::size_t kWide = 32;
  const __m512i infinity = _mm512_set1_epi16(0x7f80);
  for (std::size_t i = 0; i < size; i += kWide) {
    const std::size_t left = size - i;
    const __mmask32 here = left >= kWide ? ~__mmask32{0} : (__mmask32{1} << left) - 1U;
    // As integers, the positive floats up to infinity are 1 to 0x7f80.
    const __m512i bits = _mm512_maskz_loadu_epi16(here, value + i);
    const __mmask32 open = _mm512_cmpgt_epi16_mask(bits, _mm512_setzero_si512()) &
                           _mm512_cmple_epi16_mask(bits, infinity);
    _mm512_mask_storeu_epi16(diff + i, here, _mm512_maskz_loadu_epi16(open, diff + i));
  }
}

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
