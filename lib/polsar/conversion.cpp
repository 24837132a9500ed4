#include "polsar/conversion.hpp"

#include <algorithm>
#include <numbers>
#include <string>

#include "core/error.hpp"
#include "polsar/hermitian.hpp"

namespace oida {
namespace {

constexpr double kHalfRoot = 1.0 / std::numbers::sqrt2;
constexpr Complex kI(0.0, 1.0);

/// A linear map of scattering vectors: [rows][columns].
struct Map {
  std::size_t rows = 0, columns = 0;
  std::array<std::array<Complex, 4>, 4> at{};
};

bool three_wide(MatrixKind kind) {
  return kind == MatrixKind::c3 || kind == MatrixKind::t3;
}

/// From [HH, HV, VH, VV] to the channels of a pair.
Map to_pair(ChannelPair pair) {
  constexpr Complex mean = 0.5;
  switch (pair) {
    case ChannelPair::pp1:
      return {2, 4, {{{1, 0, 0, 0}, {0, mean, mean, 0}}}};
    case ChannelPair::pp2:
      return {2, 4, {{{0, 0, 0, 1}, {0, mean, mean, 0}}}};
    case ChannelPair::pp3:
      return {2, 4, {{{1, 0, 0, 0}, {0, 0, 0, 1}}}};
    case ChannelPair::rh_rv: {
      const Complex r = kHalfRoot, cross = -kI * mean * kHalfRoot, half = mean * kHalfRoot;
      return {2, 4, {{{r, cross, cross, 0}, {0, half, half, -kI * kHalfRoot}}}};
    }
    case ChannelPair::none:
      break;
  }
  throw Error("convert", "a C2 needs a pair of channels");
}

/// From [HH, HV, VH, VV] to the scattering vector of a kind.
Map from_channels(MatrixKind kind, ChannelPair pair) {
  constexpr Complex r = kHalfRoot;
  switch (kind) {
    case MatrixKind::c2:
      return to_pair(pair);
    case MatrixKind::c3:
      return {3, 4, {{{1, 0, 0, 0}, {0, r, r, 0}, {0, 0, 0, 1}}}};
    case MatrixKind::t3:
      return {3, 4, {{{r, 0, 0, r}, {r, 0, 0, -r}, {0, r, r, 0}}}};
    case MatrixKind::t4:
      return {4, 4, {{{r, 0, 0, r}, {r, 0, 0, -r}, {0, r, r, 0}, {0, kI * r, -kI * r, 0}}}};
    case MatrixKind::s2:
    case MatrixKind::c4:
      break;
  }
  return {4, 4, {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}}};
}

/// The way back: the vectors' maps have orthonormal rows, so it is the conjugate transpose; a three
/// wide vector gives HV = VH.
Map to_channels(MatrixKind kind) {
  const Map there = from_channels(kind, ChannelPair::none);
  Map back{4, there.rows, {}};
  for (std::size_t i = 0; i < there.rows; ++i) {
    for (std::size_t j = 0; j < 4; ++j) back.at[j][i] = std::conj(there.at[i][j]);
  }
  return back;
}

Map product(const Map& a, const Map& b) {
  Map c{a.rows, b.columns, {}};
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < b.columns; ++j) {
      for (std::size_t k = 0; k < a.columns; ++k) c.at[i][j] += a.at[i][k] * b.at[k][j];
    }
  }
  return c;
}

/// A M A*, M Hermitian.
SmallMatrix transformed(const Map& map, const SmallMatrix& matrix) {
  SmallMatrix result;
  result.n = map.rows;
  for (std::size_t i = 0; i < map.rows; ++i) {
    for (std::size_t j = i; j < map.rows; ++j) {
      Complex sum = 0.0;
      for (std::size_t k = 0; k < map.columns; ++k) {
        for (std::size_t l = 0; l < map.columns; ++l) {
          sum += map.at[i][k] * matrix.at[k][l] * std::conj(map.at[j][l]);
        }
      }
      result.at[i][j] = sum;
    }
  }
  return result;
}

void check(const MatrixWindow& window, MatrixKind to, ChannelPair pair) {
  const bool same_pair = window.kind != MatrixKind::c2 || window.pair == pair;
  const bool pair_fits = (to == MatrixKind::c2) == (pair != ChannelPair::none);
  if (converts(window.kind, to) && same_pair && pair_fits) return;
  const auto text = [](MatrixKind kind, ChannelPair of) {
    return std::string(name(kind)) + " (channel pair " + std::string(name(of)) + ")";
  };
  throw Error("convert", "no way from " + text(window.kind, window.pair) + " to " + text(to, pair));
}

void check_cells(const MatrixWindow& window, int looks_rows, int looks_cols) {
  if (window.kind == MatrixKind::s2) {
    throw Error("multilook", "an S2 cannot be averaged: its second moments can, convert it first");
  }
  if (looks_rows < 1 || looks_cols < 1) {
    throw Error("multilook", "cells of " + std::to_string(looks_rows) + " x " +
                                 std::to_string(looks_cols) + " px; allowed: sides from 1");
  }
}

/// Adds up the valid pixels of one cell whose first pixel is `first`; their number.
int sum_cell(const MatrixWindow& window, std::size_t first, int rows, int cols,
             std::span<double> sums) {
  int count = 0;
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      const std::size_t i = first + static_cast<std::size_t>(row * window.cols + col);
      if (window.valid[i] == 0) continue;
      ++count;
      for (std::size_t e = 0; e < sums.size(); ++e) {
        sums[e] += static_cast<double>(window.plane(e)[i]);
      }
    }
  }
  return count;
}

}  // namespace

bool converts(MatrixKind from, MatrixKind to) {
  if (from == MatrixKind::c2) return to == MatrixKind::c2;
  if (three_wide(from)) return three_wide(to) || to == MatrixKind::c2;
  return to != MatrixKind::s2;
}

MatrixWindow convert(const MatrixWindow& window, MatrixKind to, ChannelPair pair) {
  check(window, to, pair);
  if (window.kind == to) return window;
  const Map map = product(from_channels(to, pair), to_channels(window.kind));
  MatrixWindow result = make_window(to, pair, window.rows, window.cols);
  result.valid = window.valid;
  for (std::size_t i = 0; i < window.pixels(); ++i) {
    if (window.valid[i] == 0) continue;
    put_matrix(transformed(map, matrix_of(window, i)), result, i);
  }
  return result;
}

MatrixWindow multilook(const MatrixWindow& window, int looks_rows, int looks_cols) {
  check_cells(window, looks_rows, looks_cols);
  MatrixWindow result =
      make_window(window.kind, window.pair, window.rows / looks_rows, window.cols / looks_cols);
  std::vector<double> sums(elements(window.kind).size());
  for (std::size_t i = 0; i < result.pixels(); ++i) {
    const std::size_t row = i / static_cast<std::size_t>(result.cols);
    const std::size_t col = i % static_cast<std::size_t>(result.cols);
    const std::size_t first = row * static_cast<std::size_t>(looks_rows * window.cols) +
                              col * static_cast<std::size_t>(looks_cols);
    std::fill(sums.begin(), sums.end(), 0.0);
    const int count = sum_cell(window, first, looks_rows, looks_cols, sums);
    result.valid[i] = count > 0;
    for (std::size_t e = 0; count > 0 && e < sums.size(); ++e) {
      result.plane(e)[i] = static_cast<float>(sums[e] / count);
    }
  }
  return result;
}

}  // namespace oida
