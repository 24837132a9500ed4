#include "engine/onednn/half_pool.hpp"

#include <algorithm>

#include "engine/onednn/bf16_avx512.hpp"
#include "engine/onednn/typed.hpp"

namespace oida::onednn {
namespace {

/// Values from one row to the next.
std::ptrdiff_t row_of(const Tensor& tensor) {
  return static_cast<std::ptrdiff_t>(tensor.shape.w) * tensor.channels;
}

/// One output row.
template <typename T>
void halve_row(const T* from, std::ptrdiff_t row, int columns, int channels, T* to,
               std::uint8_t* taken) {
  for (int x = 0; x < columns; ++x, from += 2 * channels, to += channels, taken += channels) {
    for (int c = 0; c < channels; ++c) {
      const T four[4] = {from[c], from[channels + c], from[row + c], from[row + channels + c]};
      int place = 0;
      for (int i = 1; i < 4; ++i) place = to_float(four[i]) > to_float(four[place]) ? i : place;
      to[c] = four[place];
      taken[c] = static_cast<std::uint8_t>(place);
    }
  }
}

template <typename T>
void spread_row(const T* diff, const std::uint8_t* taken, int columns, int channels, T* to,
                std::ptrdiff_t row) {
  for (int x = 0; x < columns; ++x, diff += channels, taken += channels, to += 2 * channels) {
    for (int c = 0; c < channels; ++c) {
      to[c] = taken[c] == 0 ? diff[c] : T{};
      to[channels + c] = taken[c] == 1 ? diff[c] : T{};
      to[row + c] = taken[c] == 2 ? diff[c] : T{};
      to[row + channels + c] = taken[c] == 3 ? diff[c] : T{};
    }
  }
}

/// bfloat16 is there only where AVX-512 is.
void halve_any(const Bf16* from, std::ptrdiff_t row, int columns, int channels, Bf16* to,
               std::uint8_t* taken) {
  if (channels % 16 != 0) return halve_row(from, row, columns, channels, to, taken);
  halve_row_bf16(&from->bits, row, columns, channels, &to->bits, taken);
}

void halve_any(const float* from, std::ptrdiff_t row, int columns, int channels, float* to,
               std::uint8_t* taken) {
  halve_row(from, row, columns, channels, to, taken);
}

void spread_any(const Bf16* diff, const std::uint8_t* taken, int columns, int channels, Bf16* to,
                std::ptrdiff_t row) {
  if (channels % 16 != 0) return spread_row(diff, taken, columns, channels, to, row);
  spread_row_bf16(&diff->bits, taken, columns, channels, &to->bits, row);
}

void spread_any(const float* diff, const std::uint8_t* taken, int columns, int channels, float* to,
                std::ptrdiff_t row) {
  spread_row(diff, taken, columns, channels, to, row);
}

/// An odd last row and column belong to no window.
template <typename T>
void clear_rest(const Tensor& in, T* sample) {
  const std::ptrdiff_t row = row_of(in);
  if (in.shape.h % 2 != 0) std::fill_n(sample + (in.shape.h - 1) * row, row, T{});
  if (in.shape.w % 2 == 0) return;
  for (int y = 0; y < in.shape.h; ++y) {
    std::fill_n(sample + (y + 1) * row - in.channels, in.channels, T{});
  }
}

}  // namespace

void halve(const Tensor& in, const Tensor& out, int samples, std::uint8_t* taken) {
  by_element(in.element, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < samples; ++n) {
      const T* from = sample_of<T>(in, static_cast<const void*>(in.data), n);
      T* to = sample_of<T>(out, out.data, n);
      std::uint8_t* places = taken + static_cast<std::size_t>(n) * out.sample_size();
      for (int y = 0; y < out.shape.h; ++y) {
        halve_any(from + 2 * y * row_of(in), row_of(in), out.shape.w, out.channels,
                  to + y * row_of(out), places + y * row_of(out));
      }
    }
  });
}

void spread(const Tensor& out, const Tensor& in, int samples, const void* diff_out,
            const std::uint8_t* taken, void* diff_in) {
  by_element(in.element, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < samples; ++n) {
      const T* diff = sample_of<T>(out, diff_out, n);
      const std::uint8_t* places = taken + static_cast<std::size_t>(n) * out.sample_size();
      T* to = sample_of<T>(in, diff_in, n);
      clear_rest(in, to);
      for (int y = 0; y < out.shape.h; ++y) {
        spread_any(diff + y * row_of(out), places + y * row_of(out), out.shape.w, out.channels,
                   to + 2 * y * row_of(in), row_of(in));
      }
    }
  });
}

}  // namespace oida::onednn
