#include "oida/flat_pass.hpp"

#include <algorithm>
#include <cstddef>

#include "core/widest.hpp"

namespace oida {

namespace {

/// Below this many elements a second thread costs more than it saves.
constexpr std::size_t kParallelSize = 32768;
/// Elements a thread takes at a time.
constexpr std::size_t kPart = 4096;

/// A part of the arrays.
struct Part {
  float* x;
  float* sent;
  float* base;
  float* out;
  const float* sum;
  std::size_t size;
  float weight;
  float kept;
};

/// A sum of 0 x value, which is 0 where all values are finite.
template <bool kMerge, bool kSend, bool kBase>
[[gnu::always_inline]] inline float pass(const Part& part) {
  float* __restrict x = part.x;
  float* __restrict sent = part.sent;
  float* __restrict base = part.base;
  float* __restrict out = part.out;
  const float* __restrict sum = part.sum;
  const float weight = part.weight;
  const float kept = part.kept;
  float zero = 0;
#pragma omp simd reduction(+ : zero)
  for (std::size_t i = 0; i < part.size; ++i) {
    float live = x[i];
    float known = kBase ? base[i] : 0.0F;
    if constexpr (kMerge) {
      const float mean = kBase ? known + sum[i] : sum[i];
      live += kept * (mean - sent[i]);
      x[i] = live;
      if constexpr (kBase) base[i] = known = mean;
    }
    if constexpr (kSend) {
      sent[i] = live;
      out[i] = weight * (kBase ? live - known : live);
    }
    zero += 0.0F * live;
  }
  return zero;
}

OIDA_WIDEST("arch=skylake-avx512") float send_whole(const Part& part) {
  return pass<false, true, false>(part);
}
OIDA_WIDEST("arch=skylake-avx512") float send_difference(const Part& part) {
  return pass<false, true, true>(part);
}
OIDA_WIDEST("arch=skylake-avx512") float merge_whole(const Part& part) {
  return pass<true, false, false>(part);
}
OIDA_WIDEST("arch=skylake-avx512") float merge_difference(const Part& part) {
  return pass<true, false, true>(part);
}
OIDA_WIDEST("arch=skylake-avx512") float merge_and_send_whole(const Part& part) {
  return pass<true, true, false>(part);
}
OIDA_WIDEST("arch=skylake-avx512") float merge_and_send_difference(const Part& part) {
  return pass<true, true, true>(part);
}

/// True when `kernel` returns 0 for all parts.
bool over(const FlatArrays& arrays, float weight, float (*kernel)(const Part&)) {
  const std::size_t size = arrays.x.size();
  const auto parts = static_cast<std::ptrdiff_t>((size + kPart - 1) / kPart);
  const int threads = size >= kParallelSize ? arrays.threads : 1;
  float zero = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : zero)
  for (std::ptrdiff_t k = 0; k < parts; ++k) {
    const std::size_t first = static_cast<std::size_t>(k) * kPart;
    float* base = arrays.base.empty() ? nullptr : arrays.base.data() + first;
    zero += kernel({arrays.x.data() + first, arrays.sent.data() + first, base,
                    arrays.out.data() + first, arrays.sum.data() + first,
                    std::min(kPart, size - first), weight, arrays.kept});
  }
  return zero == 0.0F;
}

}  // namespace

bool send(const FlatArrays& arrays, float weight) {
  return over(arrays, weight, arrays.base.empty() ? send_whole : send_difference);
}

bool merge(const FlatArrays& arrays) {
  return over(arrays, 0.0F, arrays.base.empty() ? merge_whole : merge_difference);
}

bool merge_and_send(const FlatArrays& arrays, float weight) {
  return over(arrays, weight,
              arrays.base.empty() ? merge_and_send_whole : merge_and_send_difference);
}

}  // namespace oida
