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
/// channels.
std::vector<Image> images(const Network& network);

/// One array of parameters.
struct FlatArray {
  std::size_t at = 0;         // in the flat array
  std::size_t room = 0;       // floats there, padding included; 0: the layer has no such array
  std::size_t canonical = 0;  // in the canonical array
  std::size_t size = 0;       // floats there
};

/// How a weight lies in the flat array. A tap is a place of the kernel, or a pixel of what a dense
/// layer reads.
///   outputs_first   [rows, taps, stride] of canonical [rows, c, taps]: conv, dense
///   inputs_first    [stride, taps, rows] of the same: conv_transpose, the conv that it turns round
///   canonical       as it is, padded at its end: all others
enum class WeightOrder { outputs_first, inputs_first, canonical };

/// A layer with parameters.
struct Trained {
  std::string name;  // "conv1", "dense2"
  int layer = 0;     // index into Network::layers
  WeightOrder order = WeightOrder::canonical;
  std::size_t rows = 0, taps = 0, c = 0, stride = 0;
  std::size_t begin = 0;  // of its first array in the flat one
  FlatArray weight = {}, bias = {}, mean = {}, variance = {};
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
  void add(const Network& network, const Parameter& parameter, const Image& in);

  std::vector<Trained> trained_;
  std::size_t size_ = 0;
  std::size_t canonical_size_ = 0;
};

}  // namespace oida::cuda
