#pragma once
// From a tensor's element type at run time to a template argument.

#include <type_traits>

#include "engine/onednn/bf16.hpp"
#include "engine/onednn/stage.hpp"

namespace oida::onednn {

/// Calls work(std::type_identity<float>) or work(std::type_identity<Bf16>).
template <typename Work>
void by_element(Element element, const Work& work) {
  if (element == Element::f32) {
    work(std::type_identity<float>());
  } else {
    work(std::type_identity<Bf16>());
  }
}

/// Sample `n` of an array that has the tensor's shape.
template <typename T>
T* sample_of(const Tensor& tensor, void* data, int n) {
  return static_cast<T*>(data) + static_cast<std::size_t>(n) * tensor.sample_size();
}

template <typename T>
const T* sample_of(const Tensor& tensor, const void* data, int n) {
  return static_cast<const T*>(data) + static_cast<std::size_t>(n) * tensor.sample_size();
}

}  // namespace oida::onednn
