#include "oida/flat_pass.hpp"

#include <algorithm>
#include <cstddef>

namespace oida {

namespace {

/// Below this many elements a second thread costs more than it saves.
constexpr std::size_t kParallelSize = 32768;
/// Elements a thread takes at a time.
constexpr std::size_t kPart = 4096;

// The widest vectors that the CPU has, chosen when the program is loaded. Contraction is off for
// this file, so all of them give the same bits. A sum of 0 x value is 0 where all are finite.
#define OIDA_WIDEST __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))

OIDA_WIDEST float send_part(const float* __restrict x, float* __restrict sent,
                            float* __restrict buffer, std::size_t size, float weight) {
  float zero = 0;
#pragma omp simd reduction(+ : zero)
  for (std::size_t i = 0; i < size; ++i) {
    const float live = x[i];
    sent[i] = live;
    buffer[i] = weight * live;
    zero += 0.0F * live;
  }
  return zero;
}

OIDA_WIDEST float merge_part(float* __restrict x, const float* __restrict sent,
                             const float* __restrict mean, std::size_t size) {
  float zero = 0;
#pragma omp simd reduction(+ : zero)
  for (std::size_t i = 0; i < size; ++i) {
    const float live = x[i] + (mean[i] - sent[i]);
    x[i] = live;
    zero += 0.0F * live;
  }
  return zero;
}

OIDA_WIDEST float merge_and_send_part(float* __restrict x, float* __restrict sent,
                                      float* __restrict buffer, std::size_t size, float weight) {
  float zero = 0;
#pragma omp simd reduction(+ : zero)
  for (std::size_t i = 0; i < size; ++i) {
    const float live = x[i] + (buffer[i] - sent[i]);
    x[i] = live;
    sent[i] = live;
    buffer[i] = weight * live;
    zero += 0.0F * live;
  }
  return zero;
}

#undef OIDA_WIDEST

/// part(first, size) over all of the arrays; true when all parts return 0.
template <typename Part>
bool over(const FlatArrays& arrays, const Part& part) {
  const std::size_t size = arrays.x.size();
  const auto parts = static_cast<std::ptrdiff_t>((size + kPart - 1) / kPart);
  const int threads = size >= kParallelSize ? arrays.threads : 1;
  float zero = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : zero)
  for (std::ptrdiff_t k = 0; k < parts; ++k) {
    const std::size_t first = static_cast<std::size_t>(k) * kPart;
    zero += part(first, std::min(kPart, size - first));
  }
  return zero == 0.0F;
}

}  // namespace

bool send(const FlatArrays& arrays, float weight) {
  return over(arrays, [&](std::size_t first, std::size_t size) {
    return send_part(&arrays.x[first], &arrays.sent[first], &arrays.buffer[first], size, weight);
  });
}

bool merge(const FlatArrays& arrays) {
  return over(arrays, [&](std::size_t first, std::size_t size) {
    return merge_part(&arrays.x[first], &arrays.sent[first], &arrays.buffer[first], size);
  });
}

bool merge_and_send(const FlatArrays& arrays, float weight) {
  return over(arrays, [&](std::size_t first, std::size_t size) {
    return merge_and_send_part(&arrays.x[first], &arrays.sent[first], &arrays.buffer[first], size,
                               weight);
  });
}

}  // namespace oida
