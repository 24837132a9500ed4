#pragma once
// The blocks of a split before a single sample is made: where they lie, what they hold, which part
// they belong to.

#include <cstdint>
#include <span>
#include <vector>

#include "data/split.hpp"

namespace oida {

/// Blocks in the order of scene, block row, block column, with their samples a class. Only centres
/// at least `buffer_px` from the block's rim are counted.
class BlockPlan {
 public:
  /// Lays and counts the blocks. Error when a label is above `classes`.
  BlockPlan(const std::vector<LabelImage>& labels, int classes, int block_px, int buffer_px);

  /// Blocks with (block row + block column) odd test.
  void test_checkerboard();
  /// Random blocks test until `share` of all samples is reached.
  void test_random(double share, std::uint64_t seed);
  /// Random training blocks validate until `share` of the training side is reached, those that
  /// bring a class new to validation first; a block that would leave a class less than half of its
  /// training samples is passed over.
  void validate_random(double share, std::uint64_t seed);

  const std::vector<Block>& blocks() const { return blocks_; }
  std::span<const std::uint32_t> counts(std::size_t block) const {
    return std::span(counts_).subspan(block * classes_, classes_);
  }
  /// Samples of the blocks of one part, a class.
  std::vector<std::int64_t> totals(Part part) const;
  /// The part of a block in which centres may lie; empty where the block is too small.
  Window centres(std::size_t block) const;

 private:
  std::int64_t size(std::size_t block) const;
  std::vector<std::uint32_t> shuffled(Part part, std::uint64_t seed, std::uint64_t draw) const;

  std::size_t classes_;
  int block_px_;
  int buffer_px_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> counts_;  // [blocks, classes]
};

}  // namespace oida
