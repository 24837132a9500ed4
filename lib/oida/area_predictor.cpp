#include "oida/area_predictor.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace oida {
namespace {

int rounded_up(int value, int step) {
  return (value + step - 1) / step * step;
}

/// The smallest window around all of `windows`, cut at the area's edge.
Window around(const std::vector<Window>& windows, Extent area) {
  Window all = windows.front();
  for (const Window& window : windows) {
    const int bottom = std::max(all.row + all.rows, window.row + window.rows);
    const int right = std::max(all.col + all.cols, window.col + window.cols);
    all.row = std::min(all.row, window.row);
    all.col = std::min(all.col, window.col);
    all.rows = bottom - all.row;
    all.cols = right - all.col;
  }
  all.rows = std::min(all.rows, area.rows - all.row);
  all.cols = std::min(all.cols, area.cols - all.col);
  return all;
}

Window overlap(const Window& a, const Window& b) {
  const int top = std::max(a.row, b.row), left = std::max(a.col, b.col);
  const int bottom = std::min(a.row + a.rows, b.row + b.rows);
  const int right = std::min(a.col + a.cols, b.col + b.cols);
  return {top, left, std::max(0, bottom - top), std::max(0, right - left)};
}

EngineOptions for_one_window(EngineOptions options) {
  options.max_batch = 1;
  options.kernels.clear();  // those of the training tile are for other sizes
  return options;
}

}  // namespace

AreaPredictor::AreaPredictor(const Network& network, EngineOptions options,
                             std::span<const float> parameters, Extent largest, int tile_px)
    : trained_px_(network.input.h) {
  const Field field = field_of(network);
  local_ = field.local;
  step_px_ = field.step_px;
  halo_px_ = rounded_up(field.reach_px, step_px_);
  tile_px_ = rounded_up(tile_px, step_px_);
  Network window = network;
  window.input.h = window_side(largest.rows);
  window.input.w = window_side(largest.cols);
  engine_ = make_engine(window, for_one_window(std::move(options)));
  parameters_.resize(engine_->flat_size());
  engine_->import_flat(parameters, parameters_);
  batch_ = make_batch(*engine_);
  window_probabilities_.resize(label_count(window) * static_cast<std::size_t>(window.classes));
}

AreaPredictor::~AreaPredictor() = default;

std::size_t AreaPredictor::bytes() const {
  std::size_t floats = parameters_.size() + batch_.input.size() + window_probabilities_.size() +
                       static_cast<std::size_t>(tile_px_) * static_cast<std::size_t>(tile_px_) *
                           (static_cast<std::size_t>(classes()) + 1);
  std::size_t bytes = floats * sizeof(float);
  for (const MemoryItem& item : engine_->memory()) bytes += item.bytes;
  return bytes;
}

int AreaPredictor::window_side(int side) const {
  if (!local_) return trained_px_;
  return std::min(tile_px_ + 2 * halo_px_, rounded_up(side, step_px_));
}

Extent AreaPredictor::canvas(Extent area) const {
  const Shape& in = engine_->network().input;
  return {std::max(in.h, rounded_up(area.rows, step_px_)),
          std::max(in.w, rounded_up(area.cols, step_px_))};
}

std::vector<Window> AreaPredictor::tiles(Extent area) const {
  std::vector<Window> tiles;
  for (int row = 0; row < area.rows; row += tile_px_) {
    for (int col = 0; col < area.cols; col += tile_px_) {
      tiles.push_back(
          {row, col, std::min(tile_px_, area.rows - row), std::min(tile_px_, area.cols - col)});
    }
  }
  return tiles;
}

std::vector<int> AreaPredictor::origins(int first, int size, int window, int canvas) const {
  const int last = canvas - window;
  if (local_) return {std::clamp(first - halo_px_, 0, last)};
  const int pace = std::max(step_px_, trained_px_ / 2 / step_px_ * step_px_);
  std::vector<int> found;
  for (int at = 0;; at = std::min(at + pace, last)) {
    if (at + window > first && at < first + size) found.push_back(at);
    if (at == last) return found;
  }
}

std::vector<Window> AreaPredictor::windows(const Window& tile, Extent area) const {
  const Shape& in = engine_->network().input;
  const Extent all = canvas(area);
  std::vector<Window> windows;
  for (const int row : origins(tile.row, tile.rows, in.h, all.rows)) {
    for (const int col : origins(tile.col, tile.cols, in.w, all.cols)) {
      windows.push_back({row, col, in.h, in.w});
    }
  }
  return windows;
}

Window AreaPredictor::needed(const Window& tile, Extent area) const {
  return around(windows(tile, area), area);
}

void AreaPredictor::show(const Window& window, const Window& at, const FeatureWindow& features) {
  std::fill(batch_.input.begin(), batch_.input.end(), 0.0F);
  const Window seen = overlap(window, at);
  for (int row = seen.row; row < seen.row + seen.rows; ++row) {
    const float* from = features.pixel(row - at.row, seen.col - at.col);
    const auto place =
        static_cast<std::size_t>(row - window.row) * static_cast<std::size_t>(window.cols) +
        static_cast<std::size_t>(seen.col - window.col);
    float* to = batch_.input.data() + place * static_cast<std::size_t>(batch_.channel_stride);
    for (int col = 0; col < seen.cols; ++col) {
      std::copy_n(from, features.channels, to);
      from += features.channels;
      to += batch_.channel_stride;
    }
  }
}

float AreaPredictor::weight(int pixel, int side) const {
  return local_ ? 1.0F : static_cast<float>(std::min(pixel + 1, side - pixel));
}

void AreaPredictor::add(const Window& window, const Window& tile) {
  const auto classes = static_cast<std::size_t>(this->classes());
  const Window part = overlap(window, tile);
  const auto index = [](const Window& in, int row, int col) {
    return static_cast<std::size_t>(row - in.row) * static_cast<std::size_t>(in.cols) +
           static_cast<std::size_t>(col - in.col);
  };
  for (int row = part.row; row < part.row + part.rows; ++row) {
    for (int col = part.col; col < part.col + part.cols; ++col) {
      const float share =
          weight(row - window.row, window.rows) * weight(col - window.col, window.cols);
      const float* from = window_probabilities_.data() + index(window, row, col) * classes;
      float* to = sums_.data() + index(tile, row, col) * classes;
      for (std::size_t c = 0; c < classes; ++c) to[c] += share * from[c];
      weights_[index(tile, row, col)] += share;
    }
  }
}

std::span<const float> AreaPredictor::predict(const Window& tile, Extent area,
                                              const FeatureWindow& features) {
  const Window at = needed(tile, area);
  const bool fits = features.rows == at.rows && features.cols == at.cols &&
                    features.channels == engine_->network().input.c;
  if (!fits) throw Error("prediction", "the features are not those of the tile");
  const auto classes = static_cast<std::size_t>(this->classes());
  const auto pixels = static_cast<std::size_t>(tile.rows) * static_cast<std::size_t>(tile.cols);
  sums_.assign(pixels * classes, 0.0F);
  weights_.assign(pixels, 0.0F);
  for (const Window& window : windows(tile, area)) {
    show(window, at, features);
    engine_->predict(batch_, parameters_, window_probabilities_);
    add(window, tile);
  }
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] /= weights_[i / classes];
  return sums_;
}

}  // namespace oida
