#pragma once
// Class probabilities of every pixel of an area (a scene, or a block of one) by a network with
// dense output, tile by tile, so that no area is too large.

#include <memory>
#include <span>
#include <vector>

#include "data/batch.hpp"
#include "data/patch_store.hpp"
#include "data/scene_source.hpp"
#include "engine/engine.hpp"

namespace oida {

/// Rows and columns of an area; its windows count from its own first pixel.
struct Extent {
  int rows = 0;
  int cols = 0;
};

/// A network that is local (Field) sees each tile with all that reaches into it, so that tiles give
/// what the whole area in one piece would give, rounded up with zeros to sides that its pools
/// divide. One that is not (group_norm) sees what it was trained on: windows of the training tile's
/// size, overlapping by half, their probabilities averaged with weights that fall linearly from a
/// window's middle to its rim.
class AreaPredictor {
 public:
  /// `network` with the input that it was trained on, `parameters` in canonical order, areas up to
  /// `largest`; `tile_px` is rounded up to a multiple of Field::step_px.
  AreaPredictor(const Network& network, EngineOptions options, std::span<const float> parameters,
                Extent largest, int tile_px = 256);
  ~AreaPredictor();

  /// Squares that cover the area, row by row.
  std::vector<Window> tiles(Extent area) const;
  /// The part of the area that a tile's result depends on.
  Window needed(const Window& tile, Extent area) const;
  /// [tile.rows, tile.cols, classes], valid until the next call; `features` are those of needed().
  std::span<const float> predict(const Window& tile, Extent area, const FeatureWindow& features);

  /// What it holds, for the memory plan.
  std::size_t bytes() const;
  int classes() const { return engine_->network().classes; }

 private:
  int window_side(int side) const;
  Extent canvas(Extent area) const;
  /// Windows that the engine is to see for a tile; they may reach beyond the area.
  std::vector<Window> windows(const Window& tile, Extent area) const;
  std::vector<int> origins(int first, int size, int window, int canvas) const;
  void show(const Window& window, const Window& at, const FeatureWindow& features);
  void add(const Window& window, const Window& tile);
  float weight(int pixel, int side) const;

  int tile_px_, step_px_, halo_px_, trained_px_;
  bool local_;
  std::unique_ptr<Engine> engine_;
  AlignedVector<float> parameters_;
  Batch batch_;
  std::vector<float> window_probabilities_, sums_, weights_;
};

}  // namespace oida
