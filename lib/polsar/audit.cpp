// The audit of a window: as fast as a scene can be read, so block by block in passes without
// branches; what they leave open is decided matrix by matrix.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "core/widest.hpp"
#include "polsar/hermitian.hpp"
#include "polsar/matrix.hpp"

namespace oida {
namespace {

constexpr double kSemidefiniteTolerance = 1e-6;
/// Pixels whose planes and findings stay in the nearest cache.
constexpr std::size_t kBlock = 256;
constexpr std::size_t kMostPlanes = 16;

/// Part of a window's planes.
struct Block {
  std::array<const float*, kMostPlanes> planes{};
  std::size_t size = 0;
  std::size_t elements = 0;
  std::span<const std::size_t> powers;  // planes of the diagonal elements
  std::array<bool, kMostPlanes> on_diagonal{};
};

/// Of a block's pixels; flags are 0 or 1.
struct Findings {
  std::array<float, kBlock> finite;     // 0; NaN where an element is not finite
  std::array<double, kBlock> span;      // trace, or of s2 the squared length
  std::array<float, kBlock> least;      // of the diagonal elements
  std::array<float, kBlock> smallest;   // of their magnitudes
  std::array<double, kBlock> near;      // pivot of a small shift; above 0: semi-definite
  std::array<double, kBlock> far;       // of a large one; not above 0: not semi-definite
  std::array<std::int32_t, kBlock> in;  // mask on the way in, then 1 where the pixel is valid
  std::int32_t open = 0;  // pixels whose `near` is not above 0; only then `far` is set
  std::int32_t valid = 0, negative = 0, zero = 0;
};

/// The least pivot of Gaussian elimination is positive for positive definite matrices alone
/// (Golub and Van Loan, Matrix Computations, 4th ed. 2013, section 4.2). Upper triangles by rows.
[[gnu::always_inline]] inline double least_pivot(double a, double xr, double xi, double b) {
  const double second = b - (xr * xr + xi * xi) / a;
  return a < second ? a : second;
}

[[gnu::always_inline]] inline double least_pivot(double a, double xr, double xi, double yr,
                                                 double yi, double b, double zr, double zi,
                                                 double c) {
  const double r = 1.0 / a;
  const double rest = least_pivot(b - r * (xr * xr + xi * xi), zr - r * (xr * yr + xi * yi),
                                  zi - r * (xr * yi - xi * yr), c - r * (yr * yr + yi * yi));
  return a < rest ? a : rest;
}

/// [first row: a x y w] above the upper triangle of the other three rows.
[[gnu::always_inline]] inline double least_pivot(double a, double xr, double xi, double yr,
                                                 double yi, double wr, double wi, double b,
                                                 double zr, double zi, double vr, double vi,
                                                 double c, double ur, double ui, double d) {
  const double r = 1.0 / a;
  const double rest = least_pivot(
      b - r * (xr * xr + xi * xi), zr - r * (xr * yr + xi * yi), zi - r * (xr * yi - xi * yr),
      vr - r * (xr * wr + xi * wi), vi - r * (xr * wi - xi * wr), c - r * (yr * yr + yi * yi),
      ur - r * (yr * wr + yi * wi), ui - r * (yr * wi - yi * wr), d - r * (wr * wr + wi * wi));
  return a < rest ? a : rest;
}

/// The least pivot of pixel i's matrix + shift x identity.
template <std::size_t kOrder>
[[gnu::always_inline]] inline double shifted_pivot(
    const std::array<const float*, kMostPlanes>& planes, std::size_t i, double shift) {
  const auto at = [&](std::size_t e) { return static_cast<double>(planes[e][i]); };
  if constexpr (kOrder == 2) {
    return least_pivot(at(0) + shift, at(1), at(2), at(3) + shift);
  } else if constexpr (kOrder == 3) {
    return least_pivot(at(0) + shift, at(1), at(2), at(3), at(4), at(5) + shift, at(6), at(7),
                       at(8) + shift);
  } else {
    return least_pivot(at(0) + shift, at(1), at(2), at(3), at(4), at(5), at(6), at(7) + shift,
                       at(8), at(9), at(10), at(11), at(12) + shift, at(13), at(14),
                       at(15) + shift);
  }
}

[[gnu::always_inline]] inline void look_at_elements(const Block& block, Findings& out) {
  for (std::size_t i = 0; i < block.size; ++i) out.finite[i] = 0.0F;
  for (std::size_t e = 0; e < block.elements; ++e) {
    const float* plane = block.planes[e];
    for (std::size_t i = 0; i < block.size; ++i) out.finite[i] += 0.0F * plane[i];
  }
}

[[gnu::always_inline]] inline void look_at_amplitudes(const Block& block, Findings& out) {
  for (std::size_t i = 0; i < block.size; ++i) out.span[i] = 0.0;
  for (std::size_t e = 0; e < block.elements; ++e) {
    const float* plane = block.planes[e];
    for (std::size_t i = 0; i < block.size; ++i) {
      const auto part = static_cast<double>(plane[i]);
      out.span[i] += part * part;
    }
  }
}

[[gnu::always_inline]] inline void look_at_powers(const Block& block, Findings& out) {
  for (std::size_t i = 0; i < block.size; ++i) {
    const float power = block.planes[block.powers[0]][i];
    out.span[i] = static_cast<double>(power);
    out.least[i] = power;
    out.smallest[i] = power < 0.0F ? -power : power;
  }
  for (const std::size_t e : block.powers.subspan(1)) {
    const float* plane = block.planes[e];
    for (std::size_t i = 0; i < block.size; ++i) {
      const float power = plane[i];
      const float size = power < 0.0F ? -power : power;
      out.span[i] += static_cast<double>(power);
      out.least[i] = power < out.least[i] ? power : out.least[i];
      out.smallest[i] = size < out.smallest[i] ? size : out.smallest[i];
    }
  }
}

/// The squared Frobenius norms, into `far`.
[[gnu::always_inline]] inline void look_at_norms(const Block& block, Findings& out) {
  for (std::size_t i = 0; i < block.size; ++i) out.far[i] = 0.0;
  for (std::size_t e = 0; e < block.elements; ++e) {
    const float* plane = block.planes[e];
    const double times = block.on_diagonal[e] ? 1.0 : 2.0;
    for (std::size_t i = 0; i < block.size; ++i) {
      const auto part = static_cast<double>(plane[i]);
      out.far[i] += times * part * part;
    }
  }
}

/// The largest eigenvalue lies between the mean one and the Frobenius norm: what a shift by
/// tolerance x mean makes positive definite has none below -tolerance x the largest, and what one
/// by tolerance x norm does not make so has one.
template <std::size_t kOrder>
[[gnu::always_inline]] inline void look_at_pivots(const Block& block, Findings& out) {
  constexpr double kNear = kSemidefiniteTolerance / static_cast<double>(kOrder);
  const auto planes = block.planes;
  for (std::size_t i = 0; i < block.size; ++i) {
    out.near[i] = shifted_pivot<kOrder>(planes, i, kNear * out.span[i]);
  }
  out.open = 0;
  for (std::size_t i = 0; i < block.size; ++i) out.open += out.near[i] > 0.0 ? 0 : 1;
  if (out.open == 0) return;
  look_at_norms(block, out);
  for (std::size_t i = 0; i < block.size; ++i) {
    out.far[i] = shifted_pivot<kOrder>(planes, i, kSemidefiniteTolerance * std::sqrt(out.far[i]));
  }
}

[[gnu::always_inline]] inline void mark_valid(const Block& block, Findings& out) {
  out.valid = 0;
  for (std::size_t i = 0; i < block.size; ++i) {
    out.in[i] &= (out.span[i] > 0.0 ? 1 : 0) & (out.finite[i] == 0.0F ? 1 : 0);
    out.valid += out.in[i];
  }
}

[[gnu::always_inline]] inline void count_powers(const Block& block, Findings& out) {
  out.negative = out.zero = 0;
  for (std::size_t i = 0; i < block.size; ++i) {
    out.negative += out.in[i] & (out.least[i] < 0.0F ? 1 : 0);
    out.zero += out.in[i] & (out.smallest[i] == 0.0F ? 1 : 0);
  }
}

template <std::size_t kOrder>
[[gnu::always_inline]] inline void look_at_matrices(const Block& block, Findings& out) {
  look_at_elements(block, out);
  look_at_powers(block, out);
  mark_valid(block, out);
  count_powers(block, out);
  look_at_pivots<kOrder>(block, out);
}

OIDA_WIDEST("arch=x86-64-v4") void look_at_s2(const Block& block, Findings& out) {
  look_at_elements(block, out);
  look_at_amplitudes(block, out);
  mark_valid(block, out);
}
OIDA_WIDEST("arch=x86-64-v4") void look_at_two(const Block& block, Findings& out) {
  look_at_matrices<2>(block, out);
}
OIDA_WIDEST("arch=x86-64-v4") void look_at_three(const Block& block, Findings& out) {
  look_at_matrices<3>(block, out);
}
OIDA_WIDEST("arch=x86-64-v4") void look_at_four(const Block& block, Findings& out) {
  look_at_matrices<4>(block, out);
}

using Look = void (*)(const Block&, Findings&);

Look look_of(MatrixKind kind) {
  constexpr std::array<Look, 3> kLooks = {look_at_two, look_at_three, look_at_four};
  if (kind == MatrixKind::s2) return look_at_s2;
  return kLooks[static_cast<std::size_t>(order(kind) - 2)];
}

/// Of a matrix that both shifts leave open.
bool semidefinite(const MatrixWindow& window, std::size_t pixel) {
  const SmallMatrix matrix = matrix_of(window, pixel);
  const auto lambda = eigen_system(matrix).values;
  return lambda[matrix.n - 1] >= -kSemidefiniteTolerance * lambda[0];
}

/// Adds what was found from pixel `first` on.
void add(const MatrixWindow& window, std::size_t first, std::size_t size, const Findings& found,
         Defects& defects) {
  defects.invalid += static_cast<std::int64_t>(size) - found.valid;
  defects.negative_power += found.negative;
  defects.zero_power += found.zero;
  for (std::size_t i = 0; found.open > 0 && i < size; ++i) {
    if (found.in[i] == 0 || found.near[i] > 0.0) continue;
    defects.not_semidefinite += !(found.far[i] > 0.0) || !semidefinite(window, first + i);
  }
}

void check(const MatrixWindow& window) {
  const std::size_t pixels = window.pixels();
  if (window.planes.size() != elements(window.kind).size() * pixels ||
      window.valid.size() != pixels) {
    throw Error("audit", "a window of " + std::to_string(pixels) + " pixels has " +
                             std::to_string(window.planes.size()) + " values and " +
                             std::to_string(window.valid.size()) + " mask values");
  }
  if ((window.kind == MatrixKind::c2) != (window.pair != ChannelPair::none)) {
    throw Error("audit", "a pair of channels belongs to a C2 and to nothing else");
  }
}

}  // namespace

Defects audit(MatrixWindow& window) {
  if (window.valid.empty()) window.valid.assign(window.pixels(), 1);
  check(window);
  window.defects = {};
  window.defects.pixels = static_cast<std::int64_t>(window.pixels());
  const Look look = look_of(window.kind);
  Findings found;
  Block block;
  block.elements = elements(window.kind).size();
  block.powers = diagonal(window.kind);
  for (const std::size_t e : block.powers) block.on_diagonal[e] = true;
  for (std::size_t first = 0; first < window.pixels(); first += kBlock) {
    block.size = std::min(kBlock, window.pixels() - first);
    for (std::size_t e = 0; e < block.elements; ++e) block.planes[e] = window.plane(e) + first;
    std::uint8_t* valid = window.valid.data() + first;
    for (std::size_t i = 0; i < block.size; ++i) found.in[i] = valid[i] != 0 ? 1 : 0;
    look(block, found);
    for (std::size_t i = 0; i < block.size; ++i) valid[i] = static_cast<std::uint8_t>(found.in[i]);
    add(window, first, block.size, found, window.defects);
  }
  return window.defects;
}

}  // namespace oida
