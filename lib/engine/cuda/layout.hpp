#pragma once
// What of a compiled network needs no card: how activations and parameters lie in memory.

#include <span>
#include <string>
#include <vector>

#include "engine/cuda/image.hpp"
#include "nn/network.hpp"

namespace oida::cuda {

/// Floats a pixel of the batch: tensor cores take channels in blocks of 8 or 16.
int padded_channels(const Network& network);

/// The input, then the output of every layer; the input's padding goes on as far as layers keep
/// channels. InputError naming the first layer of a kind that this engine does not have.
std::vector<Image> images(const Network& network);

/// A conv or dense layer: weight [rows, taps, stride] and bias [rows] in the flat array. A tap is a
/// place of the kernel, or a pixel of what a dense layer reads.
struct Trained {
  std::string name;  // "conv1", "dense2"
  int layer = 0;     // index into Network::layers
  std::size_t rows = 0, taps = 0, c = 0, stride = 0;
  std::size_t weight = 0, bias = 0;  // in the flat array
  std::size_t canonical_weight = 0, canonical_bias = 0;

  std::size_t weight_size() const { return rows * taps * stride; }
};

/// The flat array in the engine's order, every part from a cache line on.
class FlatLayout {
 public:
  explicit FlatLayout(const Network& network);

  std::size_t size() const { return size_; }
  std::size_t canonical_size() const { return canonical_size_; }
  const std::vector<Trained>& trained() const { return trained_; }
  /// Null for a layer without parameters.
  const Trained* of_layer(std::size_t layer) const;

  /// @pre sizes are canonical_size() and size(). What is padding becomes 0.
  void import_flat(std::span<const float> canonical, std::span<float> flat) const;
  void export_flat(std::span<const float> flat, std::span<float> canonical) const;

 private:
  std::vector<Trained> trained_;
  std::size_t size_ = 0;
  std::size_t canonical_size_ = 0;
};

}  // namespace oida::cuda
