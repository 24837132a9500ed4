#pragma once
// What an engine is fed: a batch of patches with their labels.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/aligned.hpp"

namespace oida {

/// Where a patch lies in a Scene: its window, and the patch's first pixel in it, which may lie
/// outside. Symmetry bits as in data/patch_store.hpp: 1 mirrors columns, 2 mirrors rows, 4
/// transposes (first).
struct PatchPlace {
  std::uint64_t first = 0;  // float of the scene at which the window begins
  std::int32_t rows = 0, cols = 0;
  std::int32_t top = 0, left = 0;
  std::uint32_t symmetry = 0;

  bool operator==(const PatchPlace&) const = default;
};

/// All feature windows [rows, cols, channels] of a unit, one after the other. Pixels outside a
/// window are 0; a reflected patch is multiplied with signs [channels].
struct Scene {
  std::vector<std::span<const float>> windows;
  std::span<const float> signs;

  std::size_t floats() const {
    std::size_t floats = 0;
    for (const auto& window : windows) floats += window.size();
    return floats;
  }
};

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
  /// Not empty: [n], the patches are named, for an engine that holds the scene, and `input` is
  /// empty.
  std::vector<PatchPlace> places;
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
  /// From now on patches are named, not cut.
  void name_patches() {
    places.resize(labels.size() / sample_labels);
    AlignedVector<float>().swap(input);
  }
  float* sample(int i) { return input.data() + static_cast<std::size_t>(i) * sample_floats(); }
  const float* sample(int i) const { return const_cast<Batch*>(this)->sample(i); }
};

}  // namespace oida
