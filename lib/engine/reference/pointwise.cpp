#include <algorithm>

#include "engine/reference/layers.hpp"

namespace oida::reference {
namespace {

std::size_t used(int n, const Tensor& tensor) {
  return static_cast<std::size_t>(n) * tensor.shape.size();
}

}  // namespace

void relu_forward(int n, const Tensor& in, Tensor& out) {
  for (std::size_t k = 0; k < used(n, in); ++k) out.values[k] = std::max(in.values[k], 0.0);
}

void relu_backward(int n, const Tensor& out, const Tensor& d_out, Tensor& d_in) {
  for (std::size_t k = 0; k < used(n, out); ++k) {
    d_in.values[k] = out.values[k] > 0.0 ? d_out.values[k] : 0.0;
  }
}

void dropout_apply(int n, std::span<const std::uint8_t> keep, double scale, const Tensor& in,
                   Tensor& out) {
  for (std::size_t k = 0; k < used(n, in); ++k) {
    out.values[k] = keep[k] != 0 ? in.values[k] * scale : 0.0;
  }
}

}  // namespace oida::reference
