#pragma once
// One step of the compiled chain: a layer with what is fused into it.
//
// Activations are [n, h, w, c] (nhwc), c contiguous: what the library's fastest fp32 and bf16
// convolutions of today read, what a batch is, and what elementwise kernels need not know.
// Gradients of activations are handed down as gradients before the relu: whoever writes the
// gradient of a tensor whose values passed a relu zeroes it where the tensor is not positive.

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "data/batch.hpp"
#include "engine/engine.hpp"
#include "nn/network.hpp"

namespace oida::onednn {

enum class Element { f32, bf16 };

constexpr std::size_t size_of(Element element) {
  return element == Element::f32 ? 4 : 2;
}

/// Output of a stage, or the batch's input.
struct Tensor {
  Shape shape;
  int channels = 0;   // values a pixel: shape.c, or more where the input is padded
  bool relu = false;  // values passed a relu
  Element element = Element::f32;
  void* data = nullptr;
  /// Of a concat that copies nothing: its channels lie in these two, one after the other, and
  /// whoever writes its gradient writes the second's into `second_diff`.
  const Tensor* first = nullptr;
  const Tensor* second = nullptr;
  void* second_diff = nullptr;
  /// Gradients that concats hold for it, in its shape: to be added to the one handed down.
  std::vector<void*> held = {};

  bool joined() const { return first != nullptr; }

  std::size_t stride() const { return static_cast<std::size_t>(channels); }
  std::size_t sample_size() const {
    return static_cast<std::size_t>(shape.h) * static_cast<std::size_t>(shape.w) * stride();
  }
};

/// What one call of step() or predict() hands to every stage.
struct Pass {
  const Batch* batch = nullptr;
  const float* parameters = nullptr;
  float* gradient = nullptr;
  bool training = false;
  const Poll* poll = nullptr;
  /// Free in the forward pass, as large as the largest output or wider_diff().
  void* spare = nullptr;

  void progress(std::size_t ready_from) const {
    if (poll != nullptr && *poll) (*poll)(ready_from);
  }
};

/// One kernel of a stage, for Engine::kernels(): a step polls once after each.
struct KernelLine {
  std::string layer;
  std::string direction;
  std::string kernel;
};

class Library;

class Stage {
 public:
  explicit Stage(const Tensor& input) : input_(&input) {}
  virtual ~Stage() = default;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  Tensor& output() { return output_; }
  /// What it computes before its output and others read too, if there is such a tensor.
  virtual Tensor* kept() { return nullptr; }
  const Tensor& input() const { return *input_; }

  virtual void forward(const Pass& pass) = 0;
  /// Gradient of the input from the gradient of the output in `diff`; both buffers may be written.
  /// Returns the one that holds the result. Also writes the gradient of the stage's parameters.
  /// Polls between its kernels, not after the last.
  virtual void* backward(const Pass& pass, void* diff, void* spare) = 0;

  virtual std::vector<KernelLine> forward_kernels() const = 0;
  virtual std::vector<KernelLine> backward_kernels() const = 0;
  /// Scratch and copies that the stage holds, without its output.
  virtual std::size_t bytes() const { return 0; }
  /// Where its parameters start in the flat array, and where the next stage's may.
  virtual std::size_t gradient_begin() const { return std::numeric_limits<std::size_t>::max(); }
  virtual std::size_t parameters_end() const { return 0; }
  /// Its parameters between canonical order and the flat array.
  virtual void import_parameters(const Library& /*library*/, std::span<const float> /*canonical*/,
                                 float* /*flat*/) const {}
  virtual void export_parameters(const Library& /*library*/, const float* /*flat*/,
                                 std::span<float> /*canonical*/) const {}
  /// Adds its ranges of Engine::moments().
  virtual void add_moments(std::vector<FlatRange>& /*ranges*/) const {}
  /// Largest gradient that it writes beside that of its input, in values a sample.
  virtual std::size_t wider_diff() const { return 0; }

 protected:
  Tensor output_;

 private:
  const Tensor* input_;
};

}  // namespace oida::onednn
