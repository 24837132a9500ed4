// The quicklook of a scene: Pauli RGB.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "io/raster_writer.hpp"
#include "io/report/picture.hpp"
#include "polsar/conversion.hpp"

namespace oida {
namespace {

/// Planes of T22, T33, T11; of a dual-pol scene C11, C22, C11.
constexpr std::array<std::size_t, 3> kQuadPlanes{5, 8, 0};
constexpr std::array<std::size_t, 3> kDualPlanes{0, 3, 0};
constexpr int kStripRows = 64;
constexpr double kLow = 0.02;
constexpr double kHigh = 0.98;
constexpr float kNothing = -std::numeric_limits<float>::infinity();

/// One channel of the picture in dB; kNothing where no pixel is valid or no power is left.
using Plane = std::vector<float>;

/// Adds cells [first cell row of the strip ..] of all channels.
void add_strip(const MatrixWindow& strip, const PictureScale& scale, std::array<Plane, 3>& planes) {
  const auto& planes_used = strip.kind == MatrixKind::c2 ? kDualPlanes : kQuadPlanes;
  const auto cols = static_cast<std::size_t>(strip.cols);
  const auto shrink = static_cast<std::size_t>(scale.shrink);
  const auto cells = static_cast<std::size_t>(scale.cells(strip.cols));
  for (std::size_t top = 0; top < static_cast<std::size_t>(strip.rows); top += shrink) {
    std::vector<std::array<double, 4>> sums(cells);
    const std::size_t bottom = std::min(top + shrink, static_cast<std::size_t>(strip.rows));
    for (std::size_t i = top * cols; i < bottom * cols; ++i) {
      if (strip.valid[i] == 0) continue;
      auto& sum = sums[i % cols / shrink];
      for (std::size_t c = 0; c < 3; ++c) {
        sum[c] += static_cast<double>(strip.plane(planes_used[c])[i]);
      }
      sum[3] += 1;
    }
    for (const auto& sum : sums) {
      for (std::size_t c = 0; c < 3; ++c) {
        planes[c].push_back(sum[c] > 0 ? static_cast<float>(10 * std::log10(sum[c] / sum[3]))
                                       : kNothing);
      }
    }
  }
}

/// 0 .. 255 from the 2nd to the 98th percentile of the plane.
std::vector<std::uint8_t> stretched(const Plane& plane) {
  Plane seen;
  std::copy_if(plane.begin(), plane.end(), std::back_inserter(seen),
               [](float value) { return std::isfinite(value); });
  if (seen.empty()) return std::vector<std::uint8_t>(plane.size());
  const auto percentile = [&seen](double share) {
    const auto at =
        seen.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(seen.size() - 1));
    std::nth_element(seen.begin(), at, seen.end());
    return *at;
  };
  const float low = percentile(kLow), high = percentile(kHigh);
  std::vector<std::uint8_t> out(plane.size());
  std::transform(plane.begin(), plane.end(), out.begin(), [&](float value) {
    if (!std::isfinite(value)) return std::uint8_t{0};
    const float share = high > low ? (value - low) / (high - low) : 0.5F;
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0F, 1.0F)));
  });
  return out;
}

}  // namespace

void write_pauli_png(const std::string& path, SceneSource& scene, int longest_px) {
  const SceneInfo& info = scene.info();
  const PictureScale scale(info.rows, info.cols, longest_px);
  const int strip_rows = std::max(1, kStripRows / scale.shrink) * scale.shrink;
  std::array<Plane, 3> planes;
  for (int row = 0; row < info.rows; row += strip_rows) {
    const int rows = std::min(strip_rows, info.rows - row);
    const auto kind = info.kind == MatrixKind::c2 ? MatrixKind::c2 : MatrixKind::t3;
    add_strip(convert(scene.read({row, 0, rows, info.cols}), kind, info.pair), scale, planes);
  }
  const auto red = stretched(planes[0]), green = stretched(planes[1]), blue = stretched(planes[2]);
  const int rows = scale.cells(info.rows), cols = scale.cells(info.cols);
  Picture page(rows * scale.zoom, cols * scale.zoom, {0, 0, 0});
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      const auto i = static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) +
                     static_cast<std::size_t>(col);
      page.fill(row * scale.zoom, col * scale.zoom, scale.zoom, scale.zoom,
                {red[i], green[i], blue[i]});
    }
  }
  page.write(path);
}

}  // namespace oida
