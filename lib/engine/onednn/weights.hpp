#pragma once
// Where the parameters of one conv or dense layer stand in the engine's flat array.

#include <cstddef>
#include <span>

#include "engine/onednn/library.hpp"
#include "engine/onednn/stage.hpp"
#include "nn/network.hpp"

namespace oida::onednn {

/// Weight in the layout that its gradient is computed in, then bias, each from a cache line on.
class FlatWeights {
 public:
  FlatWeights() = default;
  /// `layout`: float32, of a convolution [out, in, kernel, kernel], of a dense layer [out, h w in]
  /// as its input lies in memory. `input`: what the layer reads; it may have more channels than the
  /// network, which is padding.
  FlatWeights(const dnnl::memory::desc& layout, const Tensor& input, const Parameter& weight,
              const Parameter& bias, std::size_t offset);

  const dnnl::memory::desc& layout() const { return layout_; }
  std::size_t begin() const { return offset_; }
  std::size_t end() const;

  const float* weight(const float* flat) const { return flat + offset_; }
  float* weight(float* flat) const { return flat + offset_; }
  const float* bias(const float* flat) const { return flat + bias_offset_; }
  float* bias(float* flat) const { return flat + bias_offset_; }

  void import_from(const Library& library, std::span<const float> canonical, float* flat) const;
  void export_to(const Library& library, const float* flat, std::span<float> canonical) const;
  /// Zeroes what lies between the arrays.
  void clear_gaps(float* flat) const;

 private:
  /// visit(i, place) for each element `i` of a row of the network's weight, which stands at `place`
  /// in a row of plain order.
  template <typename Visit>
  void for_each_of_row(const Visit& visit) const;

  dnnl::memory::desc layout_;
  std::size_t rows_ = 0;    // out
  std::size_t row_ = 0;     // values a row of the network's weight
  std::size_t wide_ = 0;    // values a row with padded input channels
  std::size_t pixels_ = 0;  // of a dense layer's input; a convolution's row is as one channel
  std::size_t channels_ = 0;
  std::size_t offset_ = 0;
  std::size_t bias_offset_ = 0;
  std::size_t canonical_weight_ = 0;
  std::size_t canonical_bias_ = 0;
};

/// A count of floats rounded up to whole cache lines.
std::size_t whole_lines(std::size_t floats);

}  // namespace oida::onednn
