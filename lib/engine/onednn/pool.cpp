#include "engine/onednn/pool.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/onednn/typed.hpp"

namespace oida::onednn {
namespace {

/// Channels that one window is worked on at a time.
constexpr int kChunk = 16;

template <typename T>
T* pixel(const Tensor& tensor, T* sample, int y, int x) {
  return sample + (static_cast<std::ptrdiff_t>(y) * tensor.shape.w + x) * tensor.channels;
}

/// Calls work(out_y, out_x, first_channel, channels) for every window and chunk of channels.
template <typename Work>
void each_window(const Tensor& out, const Work& work) {
  for (int y = 0; y < out.shape.h; ++y) {
    for (int x = 0; x < out.shape.w; ++x) {
      for (int c = 0; c < out.channels; c += kChunk) {
        work(y, x, c, std::min(kChunk, out.channels - c));
      }
    }
  }
}

/// Calls work(in_y, in_x) for every pixel of the window of one output pixel.
template <typename Work>
void each_pixel(const Layer& window, int out_y, int out_x, const Work& work) {
  for (int ky = 0; ky < window.kernel; ++ky) {
    for (int kx = 0; kx < window.kernel; ++kx) {
      work(out_y * window.stride + ky, out_x * window.stride + kx);
    }
  }
}

template <typename T>
void max_forward(const Tensor& in, const Layer& window, const Tensor& out, const T* from, T* to) {
  each_window(out, [&](int y, int x, int c, int channels) {
    T* largest = pixel(out, to, y, x) + c;
    std::copy_n(pixel(in, from, y * window.stride, x * window.stride) + c, channels, largest);
    each_pixel(window, y, x, [&](int in_y, int in_x) {
      const T* value = pixel(in, from, in_y, in_x) + c;
      for (int i = 0; i < channels; ++i) {
        const float candidate = to_float(value[i]);
        const bool larger = candidate > to_float(largest[i]) || std::isnan(candidate);
        largest[i] = larger ? value[i] : largest[i];
      }
    });
  });
}

template <typename T>
void max_backward(const Tensor& in, const Layer& window, const Tensor& out, int n,
                  const void* diff_out, void* diff_in) {
  const T* from = sample_of<T>(in, static_cast<const void*>(in.data), n);
  const T* to = sample_of<T>(out, static_cast<const void*>(out.data), n);
  const T* diff = sample_of<T>(out, diff_out, n);
  T* result = sample_of<T>(in, diff_in, n);
  std::fill_n(result, in.sample_size(), T{});
  each_window(out, [&](int y, int x, int c, int channels) {
    const T* largest = pixel(out, to, y, x) + c;
    std::array<float, kChunk> left{};
    for (int i = 0; i < channels; ++i) left[i] = to_float((pixel(out, diff, y, x) + c)[i]);
    each_pixel(window, y, x, [&](int in_y, int in_x) {
      const T* value = pixel(in, from, in_y, in_x) + c;
      T* sum = pixel(in, result, in_y, in_x) + c;
      for (int i = 0; i < channels; ++i) {
        const bool found = to_float(value[i]) == to_float(largest[i]);
        sum[i] = from_float<T>(to_float(sum[i]) + (found ? left[i] : 0.0F));
        left[i] = found ? 0.0F : left[i];
      }
    });
  });
}

template <typename T>
void average_forward(const Tensor& in, const Layer& window, const Tensor& out, const T* from,
                     T* to) {
  const float share = 1.0F / static_cast<float>(window.kernel * window.kernel);
  each_window(out, [&](int y, int x, int c, int channels) {
    std::array<float, kChunk> sum{};
    each_pixel(window, y, x, [&](int in_y, int in_x) {
      const T* value = pixel(in, from, in_y, in_x) + c;
      for (int i = 0; i < channels; ++i) sum[i] += to_float(value[i]);
    });
    T* average = pixel(out, to, y, x) + c;
    for (int i = 0; i < channels; ++i) average[i] = from_float<T>(share * sum[i]);
  });
}

template <typename T>
void average_backward(const Tensor& in, const Layer& window, const Tensor& out, const T* diff,
                      T* result) {
  const float share = 1.0F / static_cast<float>(window.kernel * window.kernel);
  std::fill_n(result, in.sample_size(), T{});
  each_window(out, [&](int y, int x, int c, int channels) {
    const T* gradient = pixel(out, diff, y, x) + c;
    each_pixel(window, y, x, [&](int in_y, int in_x) {
      T* sum = pixel(in, result, in_y, in_x) + c;
      for (int i = 0; i < channels; ++i) {
        sum[i] = from_float<T>(to_float(sum[i]) + share * to_float(gradient[i]));
      }
    });
  });
}

}  // namespace

void max_pool_forward(const Tensor& in, const Layer& window, const Tensor& out, int samples) {
  by_element(in.element, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < samples; ++n) {
      max_forward<T>(in, window, out, sample_of<T>(in, in.data, n), sample_of<T>(out, out.data, n));
    }
  });
}

void max_pool_backward(const Tensor& in, const Layer& window, const Tensor& out, int samples,
                       const void* diff_out, void* diff_in) {
  by_element(in.element, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < samples; ++n) max_backward<T>(in, window, out, n, diff_out, diff_in);
  });
}

void average_pool_forward(const Tensor& in, const Layer& window, const Tensor& out, int samples) {
  by_element(in.element, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < samples; ++n) {
      average_forward<T>(in, window, out, sample_of<T>(in, in.data, n),
                         sample_of<T>(out, out.data, n));
    }
  });
}

void average_pool_backward(const Tensor& in, const Layer& window, const Tensor& out, int samples,
                           const void* diff_out, void* diff_in) {
  by_element(in.element, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < samples; ++n) {
      average_backward<T>(in, window, out, sample_of<T>(out, diff_out, n),
                          sample_of<T>(in, diff_in, n));
    }
  });
}

}  // namespace oida::onednn
