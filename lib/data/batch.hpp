#pragma once
// What an engine is fed: a batch of patches with their labels.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/aligned.hpp"

namespace oida {

/// input: [n, rows, cols, channel_stride] pixel-interleaved, 64-byte aligned; channels beyond the
/// network's are zero. labels: [n, sample_labels], class index, or -1 for one that does not count;
/// sample_labels is 1, or rows x cols where every pixel has one.
struct Batch {
  int n = 0;
  int rows = 0;
  int cols = 0;
  int channels = 0;
  int channel_stride = 0;
  std::size_t sample_labels = 1;
  AlignedVector<float> input;
  std::vector<std::int32_t> labels;
  /// Names the random numbers of this step (dropout): (seed, step), sample i of the batch.
  std::uint64_t seed = 0;
  std::uint32_t step = 0;

  Batch() = default;
  /// All zero with labels -1, n = capacity. Error when a size is below 1 or the stride too short.
  Batch(int capacity, int rows, int cols, int channels, int channel_stride,
        std::size_t sample_labels = 1);
  std::size_t sample_floats() const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) *
           static_cast<std::size_t>(channel_stride);
  }
  std::int32_t* sample_label(int i) {
    return labels.data() + static_cast<std::size_t>(i) * sample_labels;
  }
  float* sample(int i) { return input.data() + static_cast<std::size_t>(i) * sample_floats(); }
  const float* sample(int i) const { return const_cast<Batch*>(this)->sample(i); }
};

}  // namespace oida
