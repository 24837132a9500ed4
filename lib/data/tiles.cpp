#include "data/tiles.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/error.hpp"
#include "data/landing.hpp"

namespace oida {
namespace {

/// Of the k-th tile along a side of `side_px` pixels.
int first_pixel(int k, int side_px, int tile_px) {
  return std::clamp(k * tile_px, 0, std::max(0, side_px - tile_px));
}

/// Index of a sample's tile among those of its block.
std::pair<int, int> cell(const Sample& sample, const Window& shown, int tile_px) {
  return {(sample.row - shown.row) / tile_px, (sample.col - shown.col) / tile_px};
}

Sample tile_at(std::uint32_t block, std::pair<int, int> cell, const Window& shown, int tile_px) {
  return {block, shown.row + first_pixel(cell.first, shown.rows, tile_px) + tile_px / 2,
          shown.col + first_pixel(cell.second, shown.cols, tile_px) + tile_px / 2, 0};
}

/// Labels every tile with the class of its samples that the fewest tiles have.
void label_by_rarest(Tiling& tiling, std::span<const Sample> samples) {
  std::vector<std::vector<bool>> has(tiling.tiles.size(), std::vector<bool>(256));
  for (std::size_t i = 0; i < samples.size(); ++i) has[tiling.tile_of[i]][samples[i].label] = true;
  std::vector<std::size_t> tiles_with(256);
  for (const auto& classes : has) {
    for (std::size_t c = 0; c < 256; ++c) tiles_with[c] += classes[c] ? 1 : 0;
  }
  for (std::size_t t = 0; t < has.size(); ++t) {
    std::size_t rarest = 256;
    for (std::size_t c = 0; c < 256; ++c) {
      if (has[t][c] && (rarest == 256 || tiles_with[c] < tiles_with[rarest])) rarest = c;
    }
    tiling.tiles[t].label = static_cast<std::uint8_t>(rarest);
  }
}

int kept_in(int value, int first, int last) {
  return std::clamp(value, first, std::max(first, last));
}

}  // namespace

Window shown(const Block& block, int rim_px) {
  const Window& all = block.window;
  return {all.row + rim_px, all.col + rim_px, std::max(0, all.rows - 2 * rim_px),
          std::max(0, all.cols - 2 * rim_px)};
}

Tiling make_tiles(const Split& split, std::span<const Sample> samples, int tile_px, int rim_px) {
  using Key = std::tuple<std::uint32_t, int, int>;
  std::map<Key, std::uint32_t> index;
  const auto key = [&](const Sample& sample) {
    const auto at = cell(sample, shown(split.blocks[sample.block], rim_px), tile_px);
    return Key{sample.block, at.first, at.second};
  };
  for (const Sample& sample : samples) index.emplace(key(sample), 0);
  Tiling tiling;
  for (auto& [place, number] : index) {
    const auto& [block, row, col] = place;
    number = static_cast<std::uint32_t>(tiling.tiles.size());
    tiling.tiles.push_back(tile_at(block, {row, col}, shown(split.blocks[block], rim_px), tile_px));
  }
  tiling.tile_of.reserve(samples.size());
  for (const Sample& sample : samples) tiling.tile_of.push_back(index.at(key(sample)));
  label_by_rarest(tiling, samples);
  return tiling;
}

TileLabels::TileLabels(const Split& split, std::span<const Sample> samples, int tile_px, int rim_px)
    : tile_px_(tile_px), pieces_(split.blocks.size()) {
  for (std::size_t block = 0; block < pieces_.size(); ++block) {
    pieces_[block].window = shown(split.blocks[block], rim_px);
  }
  for (const Sample& sample : samples) {
    Piece& piece = pieces_[sample.block];
    const Window& window = piece.window;
    const int row = sample.row - window.row, col = sample.col - window.col;
    if (row < 0 || col < 0 || row >= window.rows || col >= window.cols) {
      throw Error("tiles", "a sample of block " + std::to_string(sample.block) +
                               " lies outside of what its tiles show");
    }
    const auto cols = static_cast<std::size_t>(window.cols);
    piece.labels.resize(static_cast<std::size_t>(window.rows) * cols);
    piece.labels[static_cast<std::size_t>(row) * cols + static_cast<std::size_t>(col)] =
        static_cast<std::uint8_t>(sample.label + 1);
  }
}

template <typename See>
void TileLabels::for_each(const Sample& tile, const See& see) const {
  const Piece& piece = pieces_[tile.block];
  if (piece.labels.empty()) return;
  const int top = tile.row - tile_px_ / 2 - piece.window.row;
  const int left = tile.col - tile_px_ / 2 - piece.window.col;
  for (int row = std::max(0, top); row < std::min(piece.window.rows, top + tile_px_); ++row) {
    const auto line = static_cast<std::size_t>(row) * static_cast<std::size_t>(piece.window.cols);
    for (int col = std::max(0, left); col < std::min(piece.window.cols, left + tile_px_); ++col) {
      const std::uint8_t label = piece.labels[line + static_cast<std::size_t>(col)];
      if (label != 0) see(row - top, col - left, label - 1);
    }
  }
}

void TileLabels::cut(const Sample& tile, Symmetry symmetry, std::int32_t* out) const {
  const auto side = static_cast<std::size_t>(tile_px_);
  std::fill_n(out, side * side, -1);
  const Landing to = landing(symmetry, tile_px_);
  for_each(tile, [&](int row, int col, int label) {
    out[to.first + row * to.per_row + col * to.per_col] = label;
  });
}

std::int64_t TileLabels::count(const Sample& tile) const {
  std::int64_t samples = 0;
  for_each(tile, [&](int, int, int) { ++samples; });
  return samples;
}

std::vector<std::uint8_t> TileLabels::classes_in(const Sample& tile) const {
  std::vector<bool> has(256);
  for_each(tile, [&](int, int, int label) { has[static_cast<std::size_t>(label)] = true; });
  std::vector<std::uint8_t> classes;
  for (std::size_t c = 0; c < has.size(); ++c) {
    if (has[c]) classes.push_back(static_cast<std::uint8_t>(c));
  }
  return classes;
}

Sample TileLabels::moved(Sample tile, int down_px, int right_px) const {
  const Window& window = pieces_[tile.block].window;
  const int half = tile_px_ / 2;
  const int last_row = window.row + window.rows - tile_px_;
  const int last_col = window.col + window.cols - tile_px_;
  tile.row = half + kept_in(tile.row - half + down_px, window.row, last_row);
  tile.col = half + kept_in(tile.col - half + right_px, window.col, last_col);
  return tile;
}

std::int64_t TileLabels::bytes() const {
  std::size_t bytes = pieces_.capacity() * sizeof(Piece);
  for (const Piece& piece : pieces_) bytes += piece.labels.capacity();
  return static_cast<std::int64_t>(bytes);
}

}  // namespace oida
