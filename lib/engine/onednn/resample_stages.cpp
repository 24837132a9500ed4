#include "engine/onednn/resample_stages.hpp"

#include <algorithm>

#include "engine/onednn/elementwise.hpp"
#include "engine/onednn/typed.hpp"

namespace oida::onednn {
namespace {

/// Values from one row to the next.
std::size_t row_of(const Tensor& tensor) {
  return static_cast<std::size_t>(tensor.shape.w) * tensor.stride();
}

template <typename T>
void repeat_row(const T* from, int columns, std::size_t channels, int factor, T* to) {
  for (int x = 0; x < columns; ++x, from += channels) {
    for (int i = 0; i < factor; ++i, to += channels) std::copy_n(from, channels, to);
  }
}

/// to[x] = the sum of a row's `factor` pixels of x, and of the rows before.
template <typename T>
void add_row(const T* from, int columns, std::size_t channels, int factor, float* to) {
  for (int x = 0; x < columns; ++x, to += channels) {
    for (int i = 0; i < factor; ++i, from += channels) {
      for (std::size_t c = 0; c < channels; ++c) to[c] += to_float(from[c]);
    }
  }
}

/// `size` values of every pixel; `from` and `to` step `from_step` and `to_step` values a pixel.
template <typename T>
void copy_channels(const T* from, std::size_t from_step, T* to, std::size_t to_step,
                   std::size_t size, std::size_t pixels) {
  for (std::size_t p = 0; p < pixels; ++p, from += from_step, to += to_step) {
    std::copy_n(from, size, to);
  }
}

std::size_t pixels_of(const Tensor& tensor) {
  return tensor.sample_size() / tensor.stride();
}

}  // namespace

UpsampleStage::UpsampleStage(const SimpleLayer& layer, const Tensor& input)
    : SimpleStage(layer, input), sums_(static_cast<std::size_t>(layer.samples) * row_of(input)) {
  output_.relu = input.relu;
}

void UpsampleStage::forward(const Pass& /*pass*/) {
  const int factor = layer_.layer.kernel;
  by_element(output_.element, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < layer_.samples; ++n) {
      const T* from = sample_of<T>(input(), static_cast<const void*>(input().data), n);
      T* to = sample_of<T>(output_, output_.data, n);
      for (int y = 0; y < output_.shape.h; ++y, to += row_of(output_)) {
        repeat_row(from + static_cast<std::size_t>(y / factor) * row_of(input()), input().shape.w,
                   output_.stride(), factor, to);
      }
    }
  });
}

/// Sums are made in float32 and rounded once.
void* UpsampleStage::backward(const Pass& /*pass*/, void* diff, void* spare) {
  const int factor = layer_.layer.kernel;
  by_element(output_.element, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < layer_.samples; ++n) {
      const T* from = sample_of<T>(output_, static_cast<const void*>(diff), n);
      T* to = sample_of<T>(input(), spare, n);
      float* row = sums_.data() + static_cast<std::size_t>(n) * row_of(input());
      for (int y = 0; y < input().shape.h; ++y, to += row_of(input())) {
        std::fill_n(row, row_of(input()), 0.0F);
        for (int i = 0; i < factor; ++i, from += row_of(output_)) {
          add_row(from, input().shape.w, input().stride(), factor, row);
        }
        std::transform(row, row + row_of(input()), to, from_float<T>);
      }
    }
  });
  return spare;
}

ConcatStage::ConcatStage(const SimpleLayer& layer, const Tensor& input, Tensor& with, bool joined)
    : SimpleStage(layer, input),
      with_(with),
      held_(static_cast<std::size_t>(layer.samples) * with.sample_size() * size_of(with.element)) {
  output_.channels = layer.output.c;
  output_.relu = input.relu && with.relu;
  with.held.push_back(held_.data());
  if (!joined) return;
  output_.first = &input;
  output_.second = &with;
  output_.second_diff = held_.data();
}

std::string ConcatStage::how() const {
  return output_.joined() ? "none, read in place" : "own";
}

std::vector<KernelLine> ConcatStage::forward_kernels() const {
  return {{layer_.name, "forward", how()}};
}

std::vector<KernelLine> ConcatStage::backward_kernels() const {
  return {{layer_.name, "backward", how()}};
}

void ConcatStage::forward(const Pass& /*pass*/) {
  if (output_.joined()) return;
  const auto first = static_cast<std::size_t>(input().shape.c);
  const auto second = static_cast<std::size_t>(with_.shape.c);
  by_element(output_.element, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < layer_.samples; ++n) {
      T* to = sample_of<T>(output_, output_.data, n);
      copy_channels<T>(sample_of<T>(input(), input().data, n), input().stride(), to,
                       output_.stride(), first, pixels_of(output_));
      copy_channels<T>(sample_of<T>(with_, with_.data, n), with_.stride(), to + first,
                       output_.stride(), second, pixels_of(output_));
    }
  });
}

void* ConcatStage::backward(const Pass& /*pass*/, void* diff, void* spare) {
  if (output_.joined()) return diff;
  const auto first = static_cast<std::size_t>(input().shape.c);
  const auto second = static_cast<std::size_t>(with_.shape.c);
  by_element(output_.element, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < layer_.samples; ++n) {
      const T* from = sample_of<T>(output_, static_cast<const void*>(diff), n);
      T* to = sample_of<T>(input(), spare, n);
      if (first < input().stride()) std::fill_n(to, input().sample_size(), T{});
      copy_channels<T>(from, output_.stride(), to, input().stride(), first, pixels_of(output_));
      copy_channels<T>(from + first, output_.stride(), sample_of<T>(with_, held_.data(), n),
                       with_.stride(), second, pixels_of(output_));
    }
  });
  if (input().relu) mask_where_not_positive(input(), layer_.samples, spare);
  if (with_.relu) mask_where_not_positive(with_, layer_.samples, held_.data());
  return spare;
}

}  // namespace oida::onednn
