#include "data/block_plan.hpp"

#include <algorithm>
#include <numeric>

#include "core/error.hpp"
#include "core/rng.hpp"

namespace oida {
namespace {

void lay_blocks(const LabelImage& image, int scene, int block_px, std::vector<Block>& blocks) {
  for (int row = 0; row < image.rows; row += block_px) {
    for (int col = 0; col < image.cols; col += block_px) {
      const int rows = std::min(block_px, image.rows - row);
      const int cols = std::min(block_px, image.cols - col);
      blocks.push_back({scene, {row, col, rows, cols}, Part::training});
    }
  }
}

void count_labels(const LabelImage& image, const Window& window, std::span<std::uint32_t> counts) {
  for (int row = window.row; row < window.row + window.rows; ++row) {
    for (int col = window.col; col < window.col + window.cols; ++col) {
      const std::uint8_t label = image.at(row, col);
      if (label == 0) continue;
      if (label > counts.size()) {
        throw Error("split", "label " + std::to_string(label) + " among " +
                                 std::to_string(counts.size()) + " classes");
      }
      ++counts[label - std::size_t{1}];
    }
  }
}

using Held = std::span<const std::uint32_t>;
using Totals = std::vector<std::int64_t>;

/// Without the samples `held`, every class that has any keeps at least half of its training
/// samples.
bool half_stays(Held held, const Totals& left, const Totals& before) {
  for (std::size_t c = 0; c < held.size(); ++c) {
    if (held[c] > 0 && 2 * (left[c] - held[c]) < before[c]) return false;
  }
  return true;
}

bool brings_new_class(Held held, const Totals& left, const Totals& before) {
  for (std::size_t c = 0; c < held.size(); ++c) {
    if (held[c] > 0 && left[c] == before[c]) return true;
  }
  return false;
}

/// Draws of the block order; each has its own random stream.
enum Draw : std::uint64_t { kTest, kValidation };

}  // namespace

BlockPlan::BlockPlan(const std::vector<LabelImage>& labels, int classes, int block_px,
                     int buffer_px)
    : classes_(static_cast<std::size_t>(classes)), block_px_(block_px), buffer_px_(buffer_px) {
  for (std::size_t scene = 0; scene < labels.size(); ++scene) {
    lay_blocks(labels[scene], static_cast<int>(scene), block_px, blocks_);
  }
  counts_.resize(blocks_.size() * classes_);
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    const auto& image = labels[static_cast<std::size_t>(blocks_[block].scene)];
    count_labels(image, centres(block), std::span(counts_).subspan(block * classes_, classes_));
  }
}

void BlockPlan::test_checkerboard() {
  for (Block& block : blocks_) {
    const bool odd = (block.window.row / block_px_ + block.window.col / block_px_) % 2 != 0;
    if (odd) block.part = Part::test;
  }
}

void BlockPlan::test_random(double share, std::uint64_t seed) {
  const auto totals_before = totals(Part::training);
  const auto all = std::accumulate(totals_before.begin(), totals_before.end(), std::int64_t{0});
  const double target = share * static_cast<double>(all);
  std::int64_t taken = 0;
  for (const std::uint32_t block : shuffled(Part::training, seed, kTest)) {
    if (static_cast<double>(taken) >= target) return;
    blocks_[block].part = Part::test;
    taken += size(block);
  }
}

void BlockPlan::validate_random(double share, std::uint64_t seed) {
  const auto before = totals(Part::training);
  const auto all = std::accumulate(before.begin(), before.end(), std::int64_t{0});
  const double target = share * static_cast<double>(all);
  const auto order = shuffled(Part::training, seed, kValidation);
  auto left = before;
  std::int64_t taken = 0;
  for (const bool only_new : {true, false}) {
    for (const std::uint32_t block : order) {
      if (static_cast<double>(taken) >= target) return;
      const auto held = counts(block);
      const bool fits = blocks_[block].part == Part::training && half_stays(held, left, before) &&
                        (!only_new || brings_new_class(held, left, before));
      if (!fits) continue;
      blocks_[block].part = Part::validation;
      taken += size(block);
      for (std::size_t c = 0; c < classes_; ++c) left[c] -= held[c];
    }
  }
}

std::vector<std::int64_t> BlockPlan::totals(Part part) const {
  std::vector<std::int64_t> totals(classes_);
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    if (blocks_[block].part != part) continue;
    const auto held = counts(block);
    for (std::size_t c = 0; c < classes_; ++c) totals[c] += held[c];
  }
  return totals;
}

Window BlockPlan::centres(std::size_t block) const {
  const Window& window = blocks_[block].window;
  return {window.row + buffer_px_, window.col + buffer_px_,
          std::max(0, window.rows - 2 * buffer_px_), std::max(0, window.cols - 2 * buffer_px_)};
}

std::int64_t BlockPlan::size(std::size_t block) const {
  const auto held = counts(block);
  return std::accumulate(held.begin(), held.end(), std::int64_t{0});
}

std::vector<std::uint32_t> BlockPlan::shuffled(Part part, std::uint64_t seed,
                                               std::uint64_t draw) const {
  std::vector<std::uint32_t> holding;
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    const bool wanted = blocks_[block].part == part && size(block) > 0;
    if (wanted) holding.push_back(static_cast<std::uint32_t>(block));
  }
  auto order = permutation(holding.size(), Random(seed, Purpose::split, draw));
  for (std::uint32_t& entry : order) entry = holding[entry];
  return order;
}

}  // namespace oida
