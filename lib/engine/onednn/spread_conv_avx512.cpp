#include <omp.h>

#include "engine/onednn/products_avx512.hpp"
#include "engine/onednn/spread_conv.hpp"

namespace oida::onednn {
namespace {

std::ptrdiff_t product(int a, int b) {
  return static_cast<std::ptrdiff_t>(a) * b;
}

/// One output row, as [width, side out], from one input row: 16 kVectors columns at a time.
template <int kVectors, int kPixels>
void multiply_row(const SpreadShape& shape, const float* source, const float* weight,
                  const float* bias, float* destination) {
  const int columns = shape.side * shape.out;
  for (int o = 0; o < columns; o += kVectors * kLanes) {
    int x = 0;
    for (; x + kPixels <= shape.width; x += kPixels) {
      multiply<kVectors, kPixels>(weight + o, columns, source + product(x, shape.in), bias + o,
                                  destination + product(x, columns) + o, shape.in, shape.in,
                                  columns);
    }
    for (; x < shape.width; ++x) {
      multiply<kVectors, 1>(weight + o, columns, source + product(x, shape.in), bias + o,
                            destination + product(x, columns) + o, shape.in, shape.in, columns);
    }
  }
}

void multiply_row_any(const SpreadShape& shape, const float* source, const float* weight,
                      const float* bias, float* destination) {
  switch (vectors_of(shape.side * shape.out)) {
    case 4:
      return multiply_row<4, 6>(shape, source, weight, bias, destination);
    case 2:
      return multiply_row<2, 12>(shape, source, weight, bias, destination);
    default:
      return multiply_row<1, 16>(shape, source, weight, bias, destination);
  }
}

/// sums[in][side out] += source[width][in]^T diff[width][side out] of one row.
template <int kVectors, int kRows>
void accumulate_row(const SpreadShape& shape, const float* source, const float* diff, float* sums) {
  const int columns = shape.side * shape.out;
  for (int o = 0; o < columns; o += kVectors * kLanes) {
    for (int i = 0; i < shape.in; i += kRows) {
      accumulate<kVectors, kRows>(source + i, diff + o, sums + product(i, columns) + o, shape.width,
                                  shape.in, columns);
    }
  }
}

void accumulate_row_any(const SpreadShape& shape, const float* source, const float* diff,
                        float* sums) {
  switch (vectors_of(shape.side * shape.out)) {
    case 4:
      return accumulate_row<4, 4>(shape, source, diff, sums);
    case 2:
      return accumulate_row<2, 8>(shape, source, diff, sums);
    default:
      return accumulate_row<1, 8>(shape, source, diff, sums);
  }
}

void add_pixels(const SpreadShape& shape, const float* diff, float* bias) {
  for (int o = 0; o < shape.out; o += kLanes) {
    __m512 sum = _mm512_loadu_ps(bias + o);
    for (int x = 0; x < shape.side * shape.width; ++x) {
      sum = _mm512_add_ps(sum, _mm512_loadu_ps(diff + product(x, shape.out) + o));
    }
    _mm512_storeu_ps(bias + o, sum);
  }
}

/// Floats of one thread's sums: weights, then bias.
std::ptrdiff_t sums_size(const SpreadShape& shape) {
  return product(shape.side * shape.side, shape.in) * shape.out + shape.out;
}

/// to[i] = the sum over threads of their sums, in the order of threads.
void add_threads(const SpreadShape& shape, const float* sums, std::ptrdiff_t size, float* to) {
#pragma omp for schedule(static)
  for (std::ptrdiff_t i = 0; i < size; i += kLanes) {
    __m512 sum = _mm512_loadu_ps(sums + i);
    for (int thread = 1; thread < shape.threads; ++thread) {
      sum = _mm512_add_ps(sum, _mm512_loadu_ps(sums + thread * sums_size(shape) + i));
    }
    _mm512_storeu_ps(to + i, sum);
  }
}

}  // namespace

void spread_convolve(const SpreadShape& shape, const float* source, const float* weight,
                     const float* bias, float* destination, float* scratch) {
  const std::ptrdiff_t out_row = product(shape.width, shape.side) * shape.out;
  for (int i = 0; i < shape.side * shape.out; ++i) scratch[i] = bias[i % shape.out];
#pragma omp parallel for schedule(static) num_threads(shape.threads)
  for (int row = 0; row < shape.samples * shape.height; ++row) {
    for (int ky = 0; ky < shape.side; ++ky) {
      multiply_row_any(shape, source + row * product(shape.width, shape.in),
                       weight + ky * product(shape.in, shape.side) * shape.out, scratch,
                       destination + (product(row, shape.side) + ky) * out_row);
    }
  }
}

std::size_t spread_scratch_size(const SpreadShape& shape) {
  return static_cast<std::size_t>(product(shape.side, shape.out));
}

std::size_t spread_gradient_scratch_size(const SpreadShape& shape) {
  return static_cast<std::size_t>(shape.threads * sums_size(shape));
}

void spread_gradient(const SpreadShape& shape, const float* source, const float* diff,
                     float* weight, float* bias, float* scratch) {
  const std::ptrdiff_t out_row = product(shape.width, shape.side) * shape.out;
  const std::ptrdiff_t part = product(shape.in, shape.side) * shape.out;
#pragma omp parallel num_threads(shape.threads)
  {
    float* sums = scratch + omp_get_thread_num() * sums_size(shape);
    float* bias_sums = sums + shape.side * part;
    for (std::ptrdiff_t i = 0; i < sums_size(shape); ++i) sums[i] = 0.0F;
#pragma omp for schedule(static)
    for (int row = 0; row < shape.samples * shape.height; ++row) {
      for (int ky = 0; ky < shape.side; ++ky) {
        const float* slopes = diff + (product(row, shape.side) + ky) * out_row;
        accumulate_row_any(shape, source + row * product(shape.width, shape.in), slopes,
                           sums + ky * part);
        add_pixels(shape, slopes, bias_sums);
      }
    }
    add_threads(shape, scratch, shape.side * part, weight);
    add_threads(shape, scratch + shape.side * part, shape.out, bias);
  }
}

}  // namespace oida::onednn
