#include "polsar/hermitian.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"

namespace oida {
namespace {

constexpr int kMostSweeps = 50;
/// Squared off-diagonal elements below this share of the whole are rounding.
constexpr double kNothing = 1e-30;

struct Norms {
  double all = 0.0, off_diagonal = 0.0;
};

Norms norms(const SmallMatrix& a) {
  Norms sums;
  for (std::size_t i = 0; i < a.n; ++i) {
    for (std::size_t j = 0; j < a.n; ++j) {
      const double square = std::norm(a.at[i][j]);
      sums.all += square;
      if (i != j) sums.off_diagonal += square;
    }
  }
  return sums;
}

/// Turns columns p and q of `a`: p' = c p - s e^-i phase q, q' = s p + c e^-i phase q.
void turn_columns(SmallMatrix& a, std::size_t p, std::size_t q, double c, double s, Complex phase) {
  for (std::size_t i = 0; i < a.n; ++i) {
    const Complex at_p = a.at[i][p];
    const Complex at_q = a.at[i][q] * std::conj(phase);
    a.at[i][p] = c * at_p - s * at_q;
    a.at[i][q] = s * at_p + c * at_q;
  }
}

void turn_rows(SmallMatrix& a, std::size_t p, std::size_t q, double c, double s, Complex phase) {
  for (std::size_t i = 0; i < a.n; ++i) {
    const Complex at_p = a.at[p][i];
    const Complex at_q = a.at[q][i] * phase;
    a.at[p][i] = c * at_p - s * at_q;
    a.at[q][i] = s * at_p + c * at_q;
  }
}

/// One Jacobi rotation that makes element (p, q) zero.
void rotate(SmallMatrix& a, SmallMatrix& vectors, std::size_t p, std::size_t q) {
  const double length = std::abs(a.at[p][q]);
  if (length == 0.0) return;
  const Complex phase = a.at[p][q] / length;
  const double tau = (a.at[q][q].real() - a.at[p][p].real()) / (2.0 * length);
  const double t = (tau < 0.0 ? -1.0 : 1.0) / (std::abs(tau) + std::hypot(1.0, tau));
  const double c = 1.0 / std::hypot(1.0, t);
  turn_columns(a, p, q, c, c * t, phase);
  turn_rows(a, p, q, c, c * t, phase);
  a.at[p][q] = a.at[q][p] = 0.0;
  a.at[p][p] = a.at[p][p].real();
  a.at[q][q] = a.at[q][q].real();
  turn_columns(vectors, p, q, c, c * t, phase);
}

EigenSystem sorted(const SmallMatrix& a, SmallMatrix vectors) {
  EigenSystem system;
  for (std::size_t i = 0; i < a.n; ++i) system.values[i] = a.at[i][i].real();
  for (std::size_t i = 0; i + 1 < a.n; ++i) {
    const auto first = system.values.begin() + static_cast<std::ptrdiff_t>(i);
    const auto largest =
        std::max_element(first, system.values.begin() + static_cast<std::ptrdiff_t>(a.n));
    const auto from = static_cast<std::size_t>(largest - system.values.begin());
    std::swap(system.values[i], system.values[from]);
    for (std::size_t row = 0; row < a.n; ++row) {
      std::swap(vectors.at[row][i], vectors.at[row][from]);
    }
  }
  system.vectors = vectors;
  return system;
}

}  // namespace

SmallMatrix matrix_of(const MatrixWindow& window, std::size_t pixel) {
  const auto value = [&](std::size_t e) { return static_cast<double>(window.plane(e)[pixel]); };
  SmallMatrix matrix;
  if (window.kind == MatrixKind::s2) {
    matrix.n = 4;
    for (std::size_t i = 0; i < 4; ++i) {
      const Complex k_i(value(2 * i), value(2 * i + 1));
      for (std::size_t j = 0; j < 4; ++j) {
        matrix.at[i][j] = k_i * std::conj(Complex(value(2 * j), value(2 * j + 1)));
      }
    }
    return matrix;
  }
  matrix.n = static_cast<std::size_t>(order(window.kind));
  std::size_t e = 0;
  for (std::size_t i = 0; i < matrix.n; ++i) {
    matrix.at[i][i] = value(e++);
    for (std::size_t j = i + 1; j < matrix.n; ++j, e += 2) {
      matrix.at[i][j] = Complex(value(e), value(e + 1));
      matrix.at[j][i] = std::conj(matrix.at[i][j]);
    }
  }
  return matrix;
}

void put_matrix(const SmallMatrix& matrix, MatrixWindow& window, std::size_t pixel) {
  std::size_t e = 0;
  const auto put = [&](double value) { window.plane(e++)[pixel] = static_cast<float>(value); };
  for (std::size_t i = 0; i < matrix.n; ++i) {
    put(matrix.at[i][i].real());
    for (std::size_t j = i + 1; j < matrix.n; ++j) {
      put(matrix.at[i][j].real());
      put(matrix.at[i][j].imag());
    }
  }
}

EigenSystem eigen_system(const SmallMatrix& hermitian) {
  SmallMatrix a = hermitian;
  SmallMatrix vectors;
  vectors.n = a.n;
  for (std::size_t i = 0; i < a.n; ++i) vectors.at[i][i] = 1.0;
  if (!std::isfinite(norms(a).all)) throw Error("eigenvalues", "the matrix is not finite");

  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    const Norms size = norms(a);
    if (size.off_diagonal <= kNothing * size.all) break;
    for (std::size_t p = 0; p + 1 < a.n; ++p) {
      for (std::size_t q = p + 1; q < a.n; ++q) rotate(a, vectors, p, q);
    }
  }
  return sorted(a, vectors);
}

}  // namespace oida
