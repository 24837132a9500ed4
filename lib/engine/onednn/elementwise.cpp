#include "engine/onednn/elementwise.hpp"

#include "engine/onednn/typed.hpp"

namespace oida::onednn {

void mask_where_not_positive(const Tensor& values, int samples, void* diff) {
  by_element(values.element, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < samples; ++n) {
      const T* value = sample_of<T>(values, values.data, n);
      T* gradient = sample_of<T>(values, diff, n);
      for (std::size_t i = 0; i < values.sample_size(); ++i) {
        gradient[i] = to_float(value[i]) > 0.0F ? gradient[i] : T{};
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
    for (std::size_t i = begin; i < begin + size; ++i) to[i] = from_float<Bf16>(from[i]);
  }
}

}  // namespace oida::onednn
