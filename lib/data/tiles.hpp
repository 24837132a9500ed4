#pragma once
// Tiles for networks that give every pixel its class: where they lie, and which of their pixels
// have a label that counts.

#include <cstdint>
#include <span>
#include <vector>

#include "data/patch_store.hpp"
#include "data/split.hpp"

namespace oida {

/// The part of a block that tiles may show: without the `rim_px` pixels whose features are made of
/// pixels beyond the block (a speckle filter's reach).
Window shown(const Block& block, int rim_px);

/// Tiles stand for samples wherever these are dealt out: row and column are those of the pixel at
/// (tile_px / 2, tile_px / 2) of the tile, so that PatchStore::cut() cuts it; the label is the
/// class that is the rarest, over all tiles, of those in it.
struct Tiling {
  std::vector<Sample> tiles;           // sorted by block, row, column
  std::vector<std::uint32_t> tile_of;  // by sample: the one tile that owns it
};

/// Cuts the shown part of every block into squares of `tile_px`, the last of a row or column moved
/// back to end with the block; a block smaller than a tile is one tile. A sample belongs to the
/// first tile that holds it; tiles without samples are left out. `samples` are sorted by block, as
/// a Split has them.
Tiling make_tiles(const Split& split, std::span<const Sample> samples, int tile_px, int rim_px);

/// The labels of given samples, block by block: all that a tile over them may learn or be judged
/// by.
class TileLabels {
 public:
  /// Error when a sample lies outside the shown part of its block.
  TileLabels(const Split& split, std::span<const Sample> samples, int tile_px, int rim_px);

  int tile_px() const { return tile_px_; }
  /// Labels of a tile, [tile_px, tile_px], -1 where no sample is; transformed like its pixels.
  void cut(const Sample& tile, Symmetry symmetry, std::int32_t* out) const;
  /// Samples in a tile; where tiles overlap, they count in each.
  std::int64_t count(const Sample& tile) const;
  /// The classes of a tile's samples, ascending.
  std::vector<std::uint8_t> classes_in(const Sample& tile) const;
  /// The tile moved by so many pixels, as far as it stays in the shown part of its block.
  Sample moved(Sample tile, int down_px, int right_px) const;
  std::int64_t bytes() const;

 private:
  struct Piece {
    Window window;
    std::vector<std::uint8_t> labels;  // class index + 1, 0 = none; empty without samples
  };
  /// Calls `see(row in the tile, column in the tile, class index)` for every sample in the tile.
  template <typename See>
  void for_each(const Sample& tile, const See& see) const;

  int tile_px_;
  std::vector<Piece> pieces_;  // by block
};

}  // namespace oida
