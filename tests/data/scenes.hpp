#pragma once
// Made-up label images and feature windows for tests.

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/rng.hpp"
#include "data/patch_store.hpp"
#include "data/split.hpp"

namespace oida::test {

/// Fields of random class, size and place on unlabelled ground, later ones over earlier ones.
inline LabelImage fields(int rows, int cols, int classes, std::uint64_t seed) {
  LabelImage image{rows, cols, {}};
  image.classes.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols), 0);
  Random random(seed, Purpose::test);
  const auto below = [&](int bound) {
    return static_cast<int>(random.below(static_cast<std::uint32_t>(bound)));
  };
  for (int field = 0; field < rows * cols / 150; ++field) {
    const auto label = static_cast<std::uint8_t>(below(classes + 1));
    const int top = below(rows), left = below(cols);
    const int bottom = std::min(rows, top + 3 + below(20));
    const int right = std::min(cols, left + 3 + below(20));
    for (int row = top; row < bottom; ++row) {
      for (int col = left; col < right; ++col) image.at(row, col) = label;
    }
  }
  return image;
}

inline auto place(const Split& split, const Sample& sample) {
  return std::tuple(split.blocks[sample.block].scene, sample.row, sample.col);
}

inline std::vector<const std::vector<Sample>*> parts(const Split& split) {
  return {&split.training, &split.validation, &split.test};
}

/// A window whose every value tells its place in the scene: exact in float32.
inline FeatureWindow telling_features(const Window& window, int channels) {
  FeatureWindow features{window.rows, window.cols, channels, {}, {}};
  for (int row = window.row; row < window.row + window.rows; ++row) {
    for (int col = window.col; col < window.col + window.cols; ++col) {
      for (int c = 0; c < channels; ++c) {
        features.values.push_back(static_cast<float>(1 + (row * 500 + col) * 16 + c));
      }
      features.valid.push_back(1);
    }
  }
  return features;
}

}  // namespace oida::test
