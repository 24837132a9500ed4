// No pixel of any patch of one part is in any patch of another, by brute force.

#include <gtest/gtest.h>

#include "data/split.hpp"
#include "scenes.hpp"

namespace oida {
namespace {

using Kind = SplitOptions::Kind;

/// Parts (as bits) whose patches touch each pixel; pixels outside the scene do not count.
class Touched {
 public:
  Touched(const std::vector<LabelImage>& labels, int patch_px) : patch_px_(patch_px) {
    for (const auto& image : labels) {
      maps_.push_back({image.rows, image.cols, std::vector<std::uint8_t>(image.classes.size())});
    }
  }

  void add(const Split& split) {
    for (std::size_t part = 0; part < 3; ++part) {
      for (const Sample& sample : *test::parts(split)[part]) {
        auto& map = maps_[static_cast<std::size_t>(split.blocks[sample.block].scene)];
        touch(map, sample, static_cast<std::uint8_t>(1 << part));
      }
    }
  }

  bool shared() const {
    return std::any_of(maps_.begin(), maps_.end(), [](const LabelImage& map) {
      return std::any_of(map.classes.begin(), map.classes.end(),
                         [](std::uint8_t bits) { return (bits & (bits - 1)) != 0; });
    });
  }

 private:
  void touch(LabelImage& map, const Sample& sample, std::uint8_t bit) const {
    const int top = sample.row - patch_px_ / 2, left = sample.col - patch_px_ / 2;
    for (int row = std::max(0, top); row < std::min(map.rows, top + patch_px_); ++row) {
      for (int col = std::max(0, left); col < std::min(map.cols, left + patch_px_); ++col) {
        std::uint8_t& bits = map.at(row, col);
        bits = static_cast<std::uint8_t>(bits | bit);
      }
    }
  }

  int patch_px_;
  std::vector<LabelImage> maps_;
};

bool shares_pixels(const std::vector<LabelImage>& labels, const SplitOptions& options) {
  const Split split = make_split(labels, 5, options);
  Touched touched(labels, options.patch_px);
  touched.add(split);
  EXPECT_GE(split.leaky(), touched.shared());
  return touched.shared();
}

TEST(SplitLeak, NoPixelIsSharedWithTheAutomaticBuffer) {
  const std::vector<LabelImage> labels = {test::fields(131, 97, 5, 1), test::fields(75, 113, 5, 2)};
  for (const Kind kind : {Kind::checkerboard, Kind::blocks}) {
    for (const int patch_px : {1, 4, 5, 8, 15}) {
      for (const int block_px : {17, 24, 64}) {
        SplitOptions options{kind, block_px, -1, 0.15, 0.3, 0, patch_px, 1};
        EXPECT_FALSE(shares_pixels(labels, options)) << patch_px << " " << block_px;
        EXPECT_FALSE(make_split(labels, 5, options).leaky());
      }
    }
  }
}

TEST(SplitLeak, ASmallerBufferSharesPixelsAndSaysSo) {
  const std::vector<LabelImage> labels = {test::fields(131, 97, 5, 1)};
  SplitOptions options{Kind::checkerboard, 24, 6, 0.1, 0.3, 0, 15, 1};
  EXPECT_TRUE(shares_pixels(labels, options));
  EXPECT_TRUE(make_split(labels, 5, options).leaky());
  options.buffer_px = 7;
  EXPECT_FALSE(shares_pixels(labels, options));
}

// A filter's halo widens what a patch is made of: as a patch that is larger by it on each side.
TEST(SplitLeak, TheFiltersHaloIsInTheBuffer) {
  const std::vector<LabelImage> labels = {test::fields(131, 97, 5, 1)};
  SplitOptions options{Kind::checkerboard, 24, -1, 0.1, 0.3, 0, 5, 1};
  options.halo_px = 3;
  EXPECT_EQ(buffer_px(options), 5);
  const Split split = make_split(labels, 5, options);
  EXPECT_FALSE(split.leaky());
  Touched touched(labels, 11);
  touched.add(split);
  EXPECT_FALSE(touched.shared());
  options.buffer_px = 4;
  EXPECT_TRUE(make_split(labels, 5, options).leaky());
}

TEST(SplitLeak, RandomSharesPixelsAndSaysSo) {
  const std::vector<LabelImage> labels = {test::fields(131, 97, 5, 1)};
  const SplitOptions options{Kind::random, 24, -1, 0.1, 0.3, 0, 15, 1};
  EXPECT_TRUE(shares_pixels(labels, options));
}

TEST(SplitLeak, EveryPatchLiesInItsOwnBlock) {
  const std::vector<LabelImage> labels = {test::fields(131, 97, 5, 3)};
  for (const int patch_px : {8, 15}) {
    const SplitOptions options{Kind::blocks, 24, -1, 0.1, 0.3, 0, patch_px, 1};
    const Split split = make_split(labels, 5, options);
    for (const auto* part : test::parts(split)) {
      for (const Sample& sample : *part) {
        const Window& window = split.blocks[sample.block].window;
        const int top = sample.row - patch_px / 2, left = sample.col - patch_px / 2;
        ASSERT_GE(top, window.row);
        ASSERT_GE(left, window.col);
        ASSERT_LE(top + patch_px, window.row + window.rows);
        ASSERT_LE(left + patch_px, window.col + window.cols);
      }
    }
  }
}

}  // namespace
}  // namespace oida
