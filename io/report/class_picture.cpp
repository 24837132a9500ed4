// The class map as a picture with its legend.

#include <algorithm>

#include "core/error.hpp"
#include "io/raster_writer.hpp"
#include "io/report/picture.hpp"

namespace oida {
namespace {

constexpr Colour kBlack{0, 0, 0};
constexpr Colour kPage{255, 255, 255};
constexpr Colour kInk{32, 32, 32};
constexpr int kMargin = 12;
constexpr int kSwatch = 18;
constexpr int kLine = kSwatch + 8;

/// Where the entries of the legend stand: columns filled from left to right.
struct LegendPlan {
  int entry_cols = 0;
  int columns = 1;
  int lines = 0;

  LegendPlan(const ClassTable& classes, int page_cols) {
    for (const auto& name : classes.names) entry_cols = std::max(entry_cols, text_cols(name));
    entry_cols += kSwatch + kMargin / 2 + 2 * kMargin;
    columns = std::clamp((page_cols - kMargin) / entry_cols, 1, std::max(1, classes.size()));
    lines = (classes.size() + columns - 1) / columns;
    columns = lines == 0 ? 1 : (classes.size() + lines - 1) / lines;
  }
  int rows() const { return lines * kLine + 2 * kMargin; }
  int cols() const { return columns * entry_cols + kMargin; }
};

void draw_legend(Picture& page, int top, const ClassTable& classes, const LegendPlan& plan) {
  for (int i = 0; i < classes.size(); ++i) {
    const int row = top + kMargin + (i % plan.lines) * kLine;
    const int col = kMargin + (i / plan.lines) * plan.entry_cols;
    page.fill(row, col, kSwatch, kSwatch, kInk);
    page.fill(row + 1, col + 1, kSwatch - 2, kSwatch - 2,
              classes.colours[static_cast<std::size_t>(i)]);
    page.text(row + (kSwatch - kTextRows) / 2, col + kSwatch + kMargin / 2,
              classes.names[static_cast<std::size_t>(i)], kInk);
  }
}

void draw_map(Picture& page, int cols, std::span<const std::uint8_t> ids, const ClassTable& classes,
              const PictureScale& scale) {
  const int rows = static_cast<int>(ids.size()) / cols;
  for (int row = 0; row < scale.cells(rows); ++row) {
    for (int col = 0; col < scale.cells(cols); ++col) {
      const int source_row = std::min(row * scale.shrink + scale.shrink / 2, rows - 1);
      const int source_col = std::min(col * scale.shrink + scale.shrink / 2, cols - 1);
      const std::size_t id =
          ids[static_cast<std::size_t>(source_row) * static_cast<std::size_t>(cols) +
              static_cast<std::size_t>(source_col)];
      const Colour colour = id == 0 ? kBlack : classes.colours[id - 1];
      page.fill(row * scale.zoom, col * scale.zoom, scale.zoom, scale.zoom, colour);
    }
  }
}

}  // namespace

void write_class_png(const std::string& path, int rows, int cols, std::span<const std::uint8_t> ids,
                     const ClassTable& classes, int longest_px) {
  const auto pixels = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  const bool known =
      std::all_of(ids.begin(), ids.end(), [&](std::uint8_t id) { return id <= classes.size(); });
  if (ids.size() != pixels || !known) {
    throw Error(path, "class ids do not fit their size or their table");
  }
  const PictureScale scale(rows, cols, longest_px);
  const int map_rows = scale.cells(rows) * scale.zoom, map_cols = scale.cells(cols) * scale.zoom;
  const LegendPlan plan(classes, map_cols);
  Picture page(map_rows + plan.rows(), std::max(map_cols, plan.cols()), kPage);
  draw_map(page, cols, ids, classes, scale);
  draw_legend(page, map_rows, classes, plan);
  page.write(path);
}

}  // namespace oida
