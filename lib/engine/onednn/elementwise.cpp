#include "engine/onednn/elementwise.hpp"

#include "engine/onednn/bf16_avx512.hpp"
#include "engine/onednn/typed.hpp"

namespace oida::onednn {

namespace {

void mask(const float* value, std::size_t size, float* diff) {
  for (std::size_t i = 0; i < size; ++i) diff[i] = value[i] > 0.0F ? diff[i] : 0.0F;
}

/// bfloat16 is there only where AVX-512 is.
void mask(const Bf16* value, std::size_t size, Bf16* diff) {
  mask_bf16(&value->bits, size, &diff->bits);
}

}  // namespace

void mask_where_not_positive(const Tensor& values, int samples, void* diff) {
  by_element(values.element, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < samples; ++n) {
      mask(sample_of<T>(values, static_cast<const void*>(values.data), n), values.sample_size(),
           sample_of<T>(values, diff, n));
    }
  });
}

void add_held(const Tensor& like, int samples, const void* held, void* diff) {
  by_element(like.element, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < samples; ++n) {
      const T* more = sample_of<T>(like, held, n);
      T* sum = sample_of<T>(like, diff, n);
      for (std::size_t i = 0; i < like.sample_size(); ++i) {
        sum[i] = from_float<T>(to_float(sum[i]) + to_float(more[i]));
      }
    }
  });
}

void relu_forward(const Tensor& in, const Tensor& out, int samples) {
  by_element(in.element, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < samples; ++n) {
      const T* from = sample_of<T>(in, in.data, n);
      T* to = sample_of<T>(out, out.data, n);
      for (std::size_t i = 0; i < in.sample_size(); ++i) {
        to[i] = to_float(from[i]) <= 0.0F ? T{} : from[i];
      }
    }
  });
}

void dropout_sample(const Tensor& like, std::span<const std::uint8_t> keep, float scale, int n,
                    const void* from, void* to) {
  const auto channels = static_cast<std::size_t>(like.channels);
  const std::size_t pixels = like.sample_size() / channels;
  by_element(like.element, [&]<typename T>(std::type_identity<T>) {
    const T* value = sample_of<T>(like, from, n);
    T* result = sample_of<T>(like, to, n);
    for (std::size_t c = 0; c < static_cast<std::size_t>(like.shape.c); ++c) {
      for (std::size_t p = 0; p < pixels; ++p) {
        const float kept = keep[c * pixels + p] != 0 ? scale : 0.0F;
        result[p * channels + c] = from_float<T>(kept * to_float(value[p * channels + c]));
      }
    }
  });
}

void narrow(const float* from, Bf16* to, int samples, std::size_t size) {
#pragma omp parallel for schedule(static)
  for (int n = 0; n < samples; ++n) {
    const std::size_t begin = static_cast<std::size_t>(n) * size;
    narrow_bf16(from + begin, size, &to[begin].bits);
  }
}

}  // namespace oida::onednn
