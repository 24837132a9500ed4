#pragma once
// What a network asks of the card that computes it. GpuCard gives it by CUDA, cuDNN and cuBLAS;
// CountingCard only counts bytes; the tests bring one that computes on the host.
//
// A card has these members; all work is done in the order in which it was asked for, later:
//   T* allocate<T>(count, what)       zeroed memory of the card, for as long as it lives
//   T* pinned<T>(count)               host memory that the card reads and writes
//   upload(to, from, bytes)           `from` may be changed at once; copies in chunks
//   fetch(to, from, bytes)            to pinned memory, beside later computing
//   std::shared_ptr<void> pin(memory, bytes)    host memory of others for travel(), while it is
//   kept travel(to, from, bytes)           from pinned memory, beside earlier and later computing
//   join()                            later computing waits for all that travels
//   sum_way(), sum_invitation(), sum_join(invitation, rank, size)    as in device_sum.hpp
//   sum_all(values, count, home, mark)    over all units, and to pinned memory, beside all else
//   room()                            bytes that all its arrays together may take
//   run(count, kernel)                kernel(index) for every index below count
//   add_conv(Conv) -> int, conv_forward(int, in, weight, out), conv_backward_data(int, weight,
//   d_out, d_in), conv_backward_weight(int, in, d_out, d_weight), conv_lines(int)
//   add_average_pool(Pool, n, Element) -> int, average_pool_forward(int, in, out),
//   average_pool_backward(int, out, d_out, in, d_in)
//   multiply(Product)
//   record(body) -> int, play(int)    computing work that is played again and again
//   prepare(marks)                    after the last add_..., before the first record
//   mark_fetched(mark), reached(mark)    marks: 0 .. marks - 1; of what was fetched so far
//   lines(), memory()
// Errors: Error naming the call; InputError where the memory limit is met.

#include <cstddef>
#include <string>
#include <vector>

#include "engine/cuda/pool.hpp"

namespace oida::cuda {

enum class Element { f32, bf16 };

template <typename T>
constexpr Element element_of();
template <>
constexpr Element element_of<float>() {
  return Element::f32;
}
template <>
constexpr Element element_of<Bf16>() {
  return Element::bf16;
}

/// in [n, h, w, stride], out alike, weight [out.stride, kernel, kernel, in.stride].
struct Conv {
  std::string name;
  int n = 0;
  Image in, out;
  int kernel = 0, stride = 1, pad = 0;
  bool needs_d_in = true;
  Element element = Element::f32;
};

/// c [rows, cols] = a b with a [rows, inner], b [inner, cols], each row by row, or stored the other
/// way round where `a_turned` or `b_turned` says so. a and b have elements of one kind.
struct Product {
  int rows = 0, cols = 0, inner = 0;
  const void* a = nullptr;
  bool a_turned = false;
  const void* b = nullptr;
  bool b_turned = false;
  Element element = Element::f32;
  void* c = nullptr;
  Element c_element = Element::f32;
};

/// Arithmetic of float products: exact, or by tensor cores with 10 bits of mantissa.
enum class Arithmetic { fp32, tf32, bf16 };

/// InputError naming train.precision and the three allowed.
Arithmetic arithmetic(const std::string& precision);

}  // namespace oida::cuda
