#include "data/tiles.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "data/sampler.hpp"
#include "data/shards.hpp"
#include "scenes.hpp"

namespace oida {
namespace {

using Kind = SplitOptions::Kind;
using Place = std::pair<int, int>;

constexpr int kClasses = 5;
constexpr int kTile = 10;

Split split_of(const LabelImage& labels, Kind kind, int block_px, int halo_px = 0) {
  SplitOptions options{kind, block_px, -1, 0.2, 0.3, 0, 1, 1};
  options.halo_px = halo_px;
  return make_split({labels}, kClasses, options);
}

std::map<Place, int> label_by_place(std::span<const Sample> samples) {
  std::map<Place, int> labels;
  for (const Sample& sample : samples) labels[{sample.row, sample.col}] = sample.label;
  return labels;
}

Place corner(const Sample& tile) {
  return {tile.row - kTile / 2, tile.col - kTile / 2};
}

TEST(Tiles, EverySampleIsInTheOneTileThatOwnsIt) {
  const LabelImage image = test::fields(131, 97, kClasses, 1);
  for (const int block_px : {24, 40, 7}) {
    const Split split = split_of(image, Kind::checkerboard, block_px);
    const Tiling tiling = make_tiles(split, split.training, kTile, 0);
    ASSERT_EQ(tiling.tile_of.size(), split.training.size());
    std::set<std::uint32_t> used;
    for (std::size_t i = 0; i < split.training.size(); ++i) {
      const Sample& sample = split.training[i];
      const Sample& tile = tiling.tiles.at(tiling.tile_of[i]);
      const auto [top, left] = corner(tile);
      EXPECT_EQ(tile.block, sample.block);
      EXPECT_TRUE(sample.row >= top && sample.row < top + kTile);
      EXPECT_TRUE(sample.col >= left && sample.col < left + kTile);
      used.insert(tiling.tile_of[i]);
    }
    EXPECT_EQ(used.size(), tiling.tiles.size()) << "tiles without samples";
  }
}

TEST(Tiles, LieWithinTheirBlocks) {
  const LabelImage image = test::fields(131, 97, kClasses, 1);
  for (const int rim_px : {0, 3}) {
    const Split split = split_of(image, Kind::blocks, 24, rim_px);
    for (const Sample& tile : make_tiles(split, split.training, kTile, rim_px).tiles) {
      const Window& block = split.blocks[tile.block].window;
      const auto [top, left] = corner(tile);
      EXPECT_GE(top, block.row + rim_px);
      EXPECT_GE(left, block.col + rim_px);
      const bool fits = block.rows - 2 * rim_px >= kTile && block.cols - 2 * rim_px >= kTile;
      if (!fits) continue;
      EXPECT_LE(top + kTile, block.row + block.rows - rim_px);
      EXPECT_LE(left + kTile, block.col + block.cols - rim_px);
    }
  }
}

TEST(Tiles, BearTheClassThatTheFewestTilesHave) {
  // Three tiles in a row: class 0 everywhere, class 1 in the first two, class 2 in the last.
  LabelImage image{kTile, 3 * kTile, std::vector<std::uint8_t>(3 * kTile * kTile, 1)};
  image.at(4, 3) = image.at(5, 17) = 2;
  image.at(6, 25) = 3;
  Split split;
  split.blocks = {{0, {0, 0, kTile, 3 * kTile}, Part::training}};
  for (int row = 0; row < image.rows; ++row) {
    for (int col = 0; col < image.cols; ++col) {
      split.training.push_back({0, row, col, static_cast<std::uint8_t>(image.at(row, col) - 1)});
    }
  }
  const auto tiles = make_tiles(split, split.training, kTile, 0).tiles;
  ASSERT_EQ(tiles.size(), 3U);
  EXPECT_EQ(tiles[0].label, 1);
  EXPECT_EQ(tiles[1].label, 1);
  EXPECT_EQ(tiles[2].label, 2);
  const TileLabels labels(split, split.training, kTile, 0);
  EXPECT_EQ(labels.classes_in(tiles[2]), (std::vector<std::uint8_t>{0, 2}));
  EXPECT_EQ(labels.count(tiles[2]), kTile * kTile);
}

/// What a network would be asked for: labels of training pixels of the own shard, nothing else,
/// wherever a tile is moved to, and at the right pixels.
void expect_only_own_labels(const Split& split, int units) {
  const Tiling tiling = make_tiles(split, split.training, kTile, 0);
  std::set<Place> seen;
  for (int unit = 0; unit < units; ++unit) {
    std::vector<Sample> own;
    const auto tiles = make_shard(tiling.tiles, ShardKind::stratified, 3, units, unit);
    const std::set<std::uint32_t> mine(tiles.begin(), tiles.end());
    for (std::size_t i = 0; i < split.training.size(); ++i) {
      if (mine.contains(tiling.tile_of[i])) own.push_back(split.training[i]);
    }
    const auto wanted = label_by_place(own);
    const TileLabels labels(split, own, kTile, 0);
    std::vector<std::int32_t> cut(kTile * kTile);
    for (const auto index : tiles) {
      for (const int shift : {0, -7, 4}) {
        const Sample tile = labels.moved(tiling.tiles[index], shift, -shift);
        labels.cut(tile, {}, cut.data());
        for (int i = 0; i < kTile * kTile; ++i) {
          const Place place{corner(tile).first + i / kTile, corner(tile).second + i % kTile};
          const auto found = wanted.find(place);
          ASSERT_EQ(cut[static_cast<std::size_t>(i)], found == wanted.end() ? -1 : found->second);
          if (shift == 0 && found != wanted.end()) seen.insert(place);
        }
      }
    }
    for (const auto& [place, label] : wanted) EXPECT_TRUE(seen.contains(place));
  }
  EXPECT_EQ(seen.size(), split.training.size()) << "training samples that no unit learns";
}

TEST(Tiles, ShowOnlyTrainingLabelsOfTheOwnShard) {
  const LabelImage image = test::fields(75, 113, kClasses, 2);
  for (const Kind kind : {Kind::checkerboard, Kind::blocks, Kind::random}) {
    for (const int units : {1, 3}) expect_only_own_labels(split_of(image, kind, 24), units);
  }
}

TEST(Tiles, StayInTheirBlocksWhenMoved) {
  const LabelImage image = test::fields(75, 113, kClasses, 2);
  const Split split = split_of(image, Kind::checkerboard, 24);
  const TileLabels labels(split, split.training, kTile, 0);
  for (const Sample& tile : make_tiles(split, split.training, kTile, 0).tiles) {
    const Window& block = split.blocks[tile.block].window;
    for (const int shift : {-100, -3, 5, 100}) {
      const auto [top, left] = corner(labels.moved(tile, shift, shift));
      EXPECT_GE(top, block.row);
      EXPECT_GE(left, block.col);
      EXPECT_LE(top + kTile, std::max(block.row + block.rows, block.row + kTile));
      EXPECT_LE(left + kTile, std::max(block.col + block.cols, block.col + kTile));
    }
  }
}

/// Labels and pixels of a tile are moved alike: the features tell their place.
TEST(Tiles, LabelsFollowTheirPixels) {
  const LabelImage image = test::fields(40, 40, kClasses, 4);
  const Split split = split_of(image, Kind::random, 40);
  const auto wanted = label_by_place(split.training);
  const TileLabels labels(split, split.training, kTile, 0);
  PatchStore store(kTile, {1.0F});
  store.add(0, {0, 0, 40, 40}, test::telling_features({0, 0, 40, 40}, 1));
  std::vector<float> pixels(kTile * kTile);
  std::vector<std::int32_t> cut(kTile * kTile);
  for (const Sample& tile : make_tiles(split, split.training, kTile, 0).tiles) {
    for (std::uint8_t bits = 0; bits < 8; ++bits) {
      store.cut(tile, {bits}, pixels.data(), 1);
      labels.cut(tile, {bits}, cut.data());
      for (std::size_t i = 0; i < cut.size(); ++i) {
        const int place = (static_cast<int>(pixels[i]) - 1) / 16;
        const auto found = wanted.find({place / 500, place % 500});
        ASSERT_EQ(cut[i], found == wanted.end() ? -1 : found->second) << int{bits};
      }
    }
  }
}

TEST(Tiles, RefuseSamplesInTheRimThatTheyDoNotShow) {
  const LabelImage image = test::fields(75, 113, kClasses, 2);
  const Split split = split_of(image, Kind::checkerboard, 24);
  EXPECT_THROW(TileLabels(split, split.training, kTile, 2), Error);
}

TEST(Tiles, SamplerBatchesThemWithTheirLabels) {
  const LabelImage image = test::fields(40, 40, kClasses, 4);
  const Split split = split_of(image, Kind::random, 40);
  const auto tiles = make_tiles(split, split.training, kTile, 0).tiles;
  const TileLabels labels(split, split.training, kTile, 0);
  PatchStore store(kTile, {1.0F});
  store.add(0, {0, 0, 40, 40}, test::telling_features({0, 0, 40, 40}, 1));
  SamplerOptions options{6, 0.5, Augmentation::dihedral, 3, 0};
  options.shift_px = 4;
  Sampler sampler(tiles, kClasses, options, &labels);
  Batch batch(6, kTile, kTile, 1, 1, kTile * kTile);
  const auto wanted = label_by_place(split.training);
  std::set<Place> corners;
  for (std::uint64_t step = 0; step < 40; ++step) {
    sampler.fill(step, store, batch);
    const auto drawn = sampler.samples(step);
    for (std::size_t i = 0; i < batch.labels.size(); ++i) {
      const int place = (static_cast<int>(batch.input[i]) - 1) / 16;
      const auto found = wanted.find({place / 500, place % 500});
      ASSERT_EQ(batch.labels[i], found == wanted.end() ? -1 : found->second);
    }
    for (const Sample& tile : drawn) corners.insert(corner(tile));
  }
  EXPECT_GT(corners.size(), 100U) << "16 tiles that hardly move";
  Batch patches(6, kTile, kTile, 1, 1);
  EXPECT_THROW(sampler.fill(0, store, patches), Error);
}

TEST(Tiles, HaveTheirTurnWithEveryClassInThem) {
  // Ten tiles of class 0; class 1 is in the last one only.
  Split split;
  split.blocks = {{0, {0, 0, kTile, 10 * kTile}, Part::training}};
  for (int col = 0; col < 10 * kTile; ++col) {
    split.training.push_back({0, 0, col, static_cast<std::uint8_t>(col == 95 ? 1 : 0)});
  }
  const auto tiles = make_tiles(split, split.training, kTile, 0).tiles;
  const TileLabels labels(split, split.training, kTile, 0);
  Sampler sampler(tiles, 2, {4, 1.0, Augmentation::none, 1, 0}, &labels);
  int rare = 0;
  std::set<int> others;
  for (std::uint64_t step = 0; step < 10; ++step) {
    const auto drawn = sampler.samples(step);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      if (i % 2 == 1) rare += drawn[i].col == 95 ? 1 : 0;
      if (i % 2 == 0) others.insert(drawn[i].col);
    }
  }
  EXPECT_EQ(rare, 20) << "every second turn is class 1's";
  EXPECT_EQ(others.size(), 10U) << "class 0 has its turn in every tile, that of class 1 as well";
}

}  // namespace
}  // namespace oida
