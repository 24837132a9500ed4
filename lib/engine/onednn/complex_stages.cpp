#include "engine/onednn/complex_stages.hpp"

#include <algorithm>
#include <cmath>

#include "engine/onednn/elementwise.hpp"
#include "engine/onednn/typed.hpp"

namespace oida::onednn {
namespace {

/// Calls work(in_pixel, out_pixel) with the first values of every pixel of a sample.
template <typename In, typename Out, typename Work>
void each_pixel(const Tensor& in, In* from, const Tensor& out, Out* to, const Work& work) {
  const std::size_t pixels = in.sample_size() / in.stride();
  for (std::size_t p = 0; p < pixels; ++p, from += in.stride(), to += out.stride()) work(from, to);
}

template <typename T>
float modulus(const T* pixel, int c, int half) {
  return std::hypot(to_float(pixel[c]), to_float(pixel[half + c]));
}

/// Calls work(sample) for every sample, in parallel, with the element type as its argument.
template <typename Work>
void each_sample(Element element, int samples, const Work& work) {
  by_element(element, [&]<typename T>(std::type_identity<T> type) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < samples; ++n) work(type, n);
  });
}

/// Values before pixel (y, x).
std::size_t place_of(const Tensor& tensor, int y, int x) {
  return (static_cast<std::size_t>(y) * static_cast<std::size_t>(tensor.shape.w) +
          static_cast<std::size_t>(x)) *
         tensor.stride();
}

/// Values before the pixel of output (y, x)'s window whose number `c` is longest.
template <typename T>
std::size_t longest(const Layer& window, const Tensor& in, const T* sample, int y, int x, int c) {
  const int half = in.shape.c / 2;
  std::size_t best = place_of(in, y * window.stride, x * window.stride);
  float length = modulus(sample + best, c, half);
  for (int k = 1; k < window.kernel * window.kernel; ++k) {
    const std::size_t place =
        place_of(in, y * window.stride + k / window.kernel, x * window.stride + k % window.kernel);
    const float candidate = modulus(sample + place, c, half);
    if (!(candidate > length || std::isnan(candidate))) continue;
    best = place;
    length = candidate;
  }
  return best;
}

/// Calls work(in_place, out_place, c) for every number of a pool's output.
template <typename T, typename Work>
void each_longest(const Layer& window, const Tensor& in, const T* sample, const Tensor& out,
                  const Work& work) {
  for (int y = 0; y < out.shape.h; ++y) {
    for (int x = 0; x < out.shape.w; ++x) {
      for (int c = 0; c < in.shape.c / 2; ++c) {
        work(longest(window, in, sample, y, x, c), place_of(out, y, x), c);
      }
    }
  }
}

}  // namespace

ComplexStage::ComplexStage(const SimpleLayer& layer, const Tensor& input)
    : SimpleStage(layer, input) {
  output_.channels = layer.output.c;
  const int half = layer.output.c / 2;
  const int reals = layer.layer.reals;
  for (int c = 0; c < half; ++c) source_.push_back(c < reals ? c : 2 * c - reals);
  for (int c = 0; c < half; ++c) source_.push_back(c < reals ? -1 : 2 * c - reals + 1);
}

void ComplexStage::forward(const Pass& /*pass*/) {
  each_sample(output_.element, layer_.samples, [&]<typename T>(std::type_identity<T>, int n) {
    each_pixel(input(), sample_of<T>(input(), input().data, n), output_,
               sample_of<T>(output_, output_.data, n), [&](const T* from, T* to) {
                 for (std::size_t c = 0; c < source_.size(); ++c) {
                   to[c] = source_[c] < 0 ? T{} : from[source_[c]];
                 }
               });
  });
}

void* ComplexStage::backward(const Pass& /*pass*/, void* diff, void* spare) {
  each_sample(output_.element, layer_.samples, [&]<typename T>(std::type_identity<T>, int n) {
    T* result = sample_of<T>(input(), spare, n);
    std::fill_n(result, input().sample_size(), T{});
    each_pixel(input(), result, output_, sample_of<T>(output_, diff, n), [&](T* to, const T* from) {
      for (std::size_t c = 0; c < source_.size(); ++c) {
        if (source_[c] >= 0) to[source_[c]] = from[c];
      }
    });
  });
  if (input().relu) mask_where_not_positive(input(), layer_.samples, spare);
  return spare;
}

void ComplexPoolStage::forward(const Pass& /*pass*/) {
  const int half = input().shape.c / 2;
  each_sample(output_.element, layer_.samples, [&]<typename T>(std::type_identity<T>, int n) {
    const T* from = sample_of<T>(input(), static_cast<const void*>(input().data), n);
    T* to = sample_of<T>(output_, output_.data, n);
    each_longest(layer_.layer, input(), from, output_,
                 [&](std::size_t in_place, std::size_t out_place, int c) {
                   to[out_place + c] = from[in_place + c];
                   to[out_place + half + c] = from[in_place + half + c];
                 });
  });
}

void* ComplexPoolStage::backward(const Pass& /*pass*/, void* diff, void* spare) {
  const int half = input().shape.c / 2;
  each_sample(output_.element, layer_.samples, [&]<typename T>(std::type_identity<T>, int n) {
    const T* slope = sample_of<T>(output_, static_cast<const void*>(diff), n);
    T* to = sample_of<T>(input(), spare, n);
    std::fill_n(to, input().sample_size(), T{});
    const auto add = [&](std::size_t at, std::size_t from) {
      to[at] = from_float<T>(to_float(to[at]) + to_float(slope[from]));
    };
    each_longest(layer_.layer, input(),
                 sample_of<T>(input(), static_cast<const void*>(input().data), n), output_,
                 [&](std::size_t in_place, std::size_t out_place, int c) {
                   add(in_place + c, out_place + c);
                   add(in_place + half + c, out_place + half + c);
                 });
  });
  if (input().relu) mask_where_not_positive(input(), layer_.samples, spare);
  return spare;
}

ModReluStage::ModReluStage(const SimpleLayer& layer, const Tensor& input, ParameterArrays arrays)
    : ArraysStage(layer, input, std::move(arrays)),
      sums_(static_cast<std::size_t>(layer.samples) * static_cast<std::size_t>(input.shape.c / 2)) {
}

void ModReluStage::forward(const Pass& pass) {
  const int half = input().shape.c / 2;
  const float* bias = arrays_.at(0, pass.parameters);
  each_sample(output_.element, layer_.samples, [&]<typename T>(std::type_identity<T>, int n) {
    each_pixel(input(), sample_of<T>(input(), input().data, n), output_,
               sample_of<T>(output_, output_.data, n), [&](const T* from, T* to) {
                 for (int c = 0; c < half; ++c) {
                   const float length = modulus(from, c, half);
                   const float left = length + bias[c];
                   const float factor = length > 0.0F && left > 0.0F ? left / length : 0.0F;
                   to[c] = from_float<T>(factor * to_float(from[c]));
                   to[half + c] = from_float<T>(factor * to_float(from[half + c]));
                 }
               });
  });
}

/// With f = 1 + b / |z|: d_in = f d_out - b / |z|^3 (z . d_out) z, d_b = (z . d_out) / |z|.
void* ModReluStage::backward(const Pass& pass, void* diff, void* spare) {
  const int half = input().shape.c / 2;
  const float* bias = arrays_.at(0, pass.parameters);
  each_sample(output_.element, layer_.samples, [&]<typename T>(std::type_identity<T>, int n) {
    double* sums = sums_.data() + static_cast<std::ptrdiff_t>(n) * half;
    std::fill_n(sums, half, 0.0);
    const auto* value = sample_of<T>(input(), static_cast<const void*>(input().data), n);
    T* result = sample_of<T>(input(), spare, n);
    const T* slopes = sample_of<T>(output_, static_cast<const void*>(diff), n);
    each_pixel(input(), value, output_, slopes, [&](const T* z, const T* slope) {
      T* to = result + (z - value);
      for (int c = 0; c < half; ++c) {
        const float length = modulus(z, c, half);
        const bool passes = length > 0.0F && length + bias[c] > 0.0F;
        const float u = passes ? to_float(z[c]) / length : 0.0F;
        const float v = passes ? to_float(z[half + c]) / length : 0.0F;
        const float along = u * to_float(slope[c]) + v * to_float(slope[half + c]);
        sums[c] += static_cast<double>(along);
        const float ratio = passes ? bias[c] / length : 0.0F;
        const float straight = passes ? 1.0F + ratio : 0.0F;
        to[c] = from_float<T>(straight * to_float(slope[c]) - ratio * along * u);
        to[half + c] = from_float<T>(straight * to_float(slope[half + c]) - ratio * along * v);
      }
    });
  });
  arrays_.clear_gaps(pass.gradient);
  float* gradient = arrays_.at(0, pass.gradient);
  for (int c = 0; c < half; ++c) {
    double sum = 0.0;
    for (int n = 0; n < layer_.samples; ++n) sum += sums_[static_cast<std::size_t>(n * half + c)];
    gradient[c] = static_cast<float>(sum);
  }
  if (input().relu) mask_where_not_positive(input(), layer_.samples, spare);
  return spare;
}

MagnitudeStage::MagnitudeStage(const SimpleLayer& layer, const Tensor& input)
    : SimpleStage(layer, input) {
  output_.channels = layer.output.c;
}

void MagnitudeStage::forward(const Pass& /*pass*/) {
  const int half = output_.shape.c;
  each_sample(output_.element, layer_.samples, [&]<typename T>(std::type_identity<T>, int n) {
    each_pixel(input(), sample_of<T>(input(), input().data, n), output_,
               sample_of<T>(output_, output_.data, n), [&](const T* from, T* to) {
                 for (int c = 0; c < half; ++c) to[c] = from_float<T>(modulus(from, c, half));
               });
  });
}

void* MagnitudeStage::backward(const Pass& /*pass*/, void* diff, void* spare) {
  const int half = output_.shape.c;
  each_sample(output_.element, layer_.samples, [&]<typename T>(std::type_identity<T>, int n) {
    const auto* value = sample_of<T>(input(), static_cast<const void*>(input().data), n);
    T* result = sample_of<T>(input(), spare, n);
    std::fill_n(result, input().sample_size(), T{});
    const T* slopes = sample_of<T>(output_, static_cast<const void*>(diff), n);
    each_pixel(input(), value, output_, slopes, [&](const T* from, const T* slope) {
      T* to = result + (from - value);
      for (int c = 0; c < half; ++c) {
        const float length = modulus(from, c, half);
        const float share = length > 0.0F ? to_float(slope[c]) / length : 0.0F;
        to[c] = from_float<T>(share * to_float(from[c]));
        to[half + c] = from_float<T>(share * to_float(from[half + c]));
      }
    });
  });
  if (input().relu) mask_where_not_positive(input(), layer_.samples, spare);
  return spare;
}

}  // namespace oida::onednn
