#include "data/patch_store.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "scenes.hpp"

namespace oida {
namespace {

constexpr int kRows = 40, kCols = 50;

std::vector<float> signs(int channels) {
  std::vector<float> values(static_cast<std::size_t>(channels), 1.0F);
  for (std::size_t c = 1; c < values.size(); c += 2) values[c] = -1.0F;
  return values;
}

using Image = std::vector<std::vector<std::vector<float>>>;  // [rows][cols][channels]

Image transposed(const Image& in) {
  Image out = in;
  for (std::size_t r = 0; r < in.size(); ++r) {
    for (std::size_t c = 0; c < in.size(); ++c) out[r][c] = in[c][r];
  }
  return out;
}

/// The patch around (row, col) with zeros outside the scene, moved one symmetry after another;
/// each of them reverses the signs.
Image plain_patch(int row, int col, int patch_px, int channels, int bits) {
  Image patch;
  for (int r = row - patch_px / 2; r < row - patch_px / 2 + patch_px; ++r) {
    patch.emplace_back();
    for (int c = col - patch_px / 2; c < col - patch_px / 2 + patch_px; ++c) {
      patch.back().emplace_back(static_cast<std::size_t>(channels), 0.0F);
      if (r < 0 || c < 0 || r >= kRows || c >= kCols) continue;
      patch.back().back() = test::telling_features({r, c, 1, 1}, channels).values;
    }
  }
  const auto reverse_signs = [&] {
    for (auto& line : patch) {
      for (auto& pixel : line) {
        for (std::size_t c = 1; c < pixel.size(); c += 2) pixel[c] = 0.0F - pixel[c];
      }
    }
  };
  if ((bits & 4) != 0) {
    patch = transposed(patch);
    reverse_signs();
  }
  if ((bits & 2) != 0) {
    std::reverse(patch.begin(), patch.end());
    reverse_signs();
  }
  if ((bits & 1) != 0) {
    for (auto& line : patch) std::reverse(line.begin(), line.end());
    reverse_signs();
  }
  return patch;
}

/// One scene of kRows x kCols in blocks of 20 px, each with the halo that its patches need.
PatchStore whole_scene(int patch_px, int channels) {
  PatchStore store(patch_px, signs(channels));
  for (std::uint32_t block = 0; block < 6; ++block) {
    const int row = static_cast<int>(block) / 3 * 20, col = static_cast<int>(block) % 3 * 20;
    const Window own{row, col, 20, std::min(20, kCols - col)};
    const Window window = grown(own, patch_px / 2, kRows, kCols);
    store.add(block, window, test::telling_features(window, channels));
  }
  return store;
}

void expect_cuts(int patch_px, int channels, int channel_stride) {
  const PatchStore store = whole_scene(patch_px, channels);
  const auto floats = static_cast<std::size_t>(patch_px * patch_px * channel_stride);
  for (int row = 0; row < kRows; row += 3) {
    for (int col = 0; col < kCols; col += 7) {
      const Sample sample{static_cast<std::uint32_t>(row / 20 * 3 + col / 20), row, col, 0};
      for (int bits = 0; bits < 8; ++bits) {
        std::vector<float> patch(floats, -7.0F);
        store.cut(sample, {static_cast<std::uint8_t>(bits)}, patch.data(), channel_stride);
        const float* at = patch.data();
        for (const auto& line : plain_patch(row, col, patch_px, channels, bits)) {
          for (const auto& pixel : line) {
            for (int c = 0; c < channel_stride; ++c) {
              const float want = c < channels ? pixel[static_cast<std::size_t>(c)] : -7.0F;
              ASSERT_EQ(at[c], want) << row << " " << col << " bits " << bits << " channel " << c;
            }
            at += channel_stride;
          }
        }
      }
    }
  }
}

TEST(PatchStore, CutsWithAllEightSymmetries) {
  expect_cuts(7, 9, 9);
  expect_cuts(7, 9, 16);
  expect_cuts(7, 4, 5);
}

TEST(PatchStore, CutsEvenPatchesAndSinglePixels) {
  expect_cuts(8, 9, 16);
  expect_cuts(1, 9, 9);
}

TEST(PatchStore, CutsPatchesLargerThanTheScene) {
  PatchStore store(7, signs(9));
  const Window window{0, 0, 3, 2};
  store.add(0, window, test::telling_features(window, 9));
  std::vector<float> patch(7 * 7 * 9, -7.0F);
  store.cut({0, 1, 1, 0}, {}, patch.data(), 9);
  for (int row = 0; row < 7; ++row) {
    for (int col = 0; col < 7; ++col) {
      const int r = row - 2, c = col - 2;
      const bool inside = r >= 0 && r < 3 && c >= 0 && c < 2;
      const float want = inside ? static_cast<float>(1 + (r * 500 + c) * 16) : 0.0F;
      ASSERT_EQ(patch[static_cast<std::size_t>((row * 7 + col) * 9)], want);
    }
  }
}

TEST(PatchStore, ReflectionsAreOddNumbersOfMirrors) {
  const std::array<bool, 8> want = {false, true, true, false, true, false, false, true};
  for (std::uint8_t bits = 0; bits < 8; ++bits) EXPECT_EQ(Symmetry{bits}.reflects(), want[bits]);
}

TEST(PatchStore, CentreIsTheSamplesOwnPixel) {
  const PatchStore store = whole_scene(7, 9);
  EXPECT_EQ(store.centre({4, 25, 30, 0})[3], static_cast<float>(1 + (25 * 500 + 30) * 16 + 3));
}

TEST(PatchStore, NormalisesEveryPieceOnce) {
  PatchStore store = whole_scene(1, 2);
  store.normalise({{1.0F, 2.0F}, {0.5F, 2.0F}});
  const Sample sample{0, 3, 4, 0};
  const float raw = (3 * 500 + 4) * 16;
  EXPECT_EQ(store.centre(sample)[0], raw * 0.5F);
  EXPECT_EQ(store.centre(sample)[1], raw * 2.0F);
}

TEST(PatchStore, KnowsWhatItHolds) {
  PatchStore store(3, signs(9));
  EXPECT_FALSE(store.has(0));
  const Window window{0, 0, 4, 5};
  store.add(2, window, test::telling_features(window, 9));
  EXPECT_FALSE(store.has(0));
  EXPECT_TRUE(store.has(2));
  EXPECT_FALSE(store.has(3));
  EXPECT_GE(store.bytes(), 4 * 5 * (9 * 4 + 1));
  std::vector<float> patch(81);
  EXPECT_THROW(store.cut({0, 1, 1, 0}, {}, patch.data(), 9), Error);
  EXPECT_THROW(store.centre({7, 1, 1, 0}), Error);
  EXPECT_THROW(store.add(1, {0, 0, 5, 5}, test::telling_features(window, 9)), Error);
  EXPECT_THROW(store.add(1, window, test::telling_features(window, 8)), Error);
}

TEST(PatchStore, GrownStopsAtTheScenesEdge) {
  EXPECT_EQ(grown({10, 20, 5, 6}, 3, 100, 100), (Window{7, 17, 11, 12}));
  EXPECT_EQ(grown({1, 0, 5, 6}, 3, 7, 8), (Window{0, 0, 7, 8}));
}

TEST(PatchStore, AugmentationsHaveNames) {
  EXPECT_EQ(augmentation("none"), Augmentation::none);
  EXPECT_EQ(augmentation("mirror"), Augmentation::mirror);
  EXPECT_EQ(augmentation("dihedral"), Augmentation::dihedral);
  EXPECT_THROW(augmentation("flip"), InputError);
}

}  // namespace
}  // namespace oida
