#pragma once
// Small Hermitian matrices in double: what the windows' float planes become for algebra.

#include <array>
#include <complex>
#include <cstddef>

#include "polsar/matrix.hpp"

namespace oida {

using Complex = std::complex<double>;

/// Rows and columns from `n` on are zero. [row][column], n <= 4.
struct SmallMatrix {
  std::size_t n = 0;
  std::array<std::array<Complex, 4>, 4> at{};
};

/// The matrix of one pixel of a window; of an s2 the outer product of [HH, HV, VH, VV] with itself.
SmallMatrix matrix_of(const MatrixWindow& window, std::size_t pixel);
/// Puts the upper triangle into the planes of one pixel; not for s2.
void put_matrix(const SmallMatrix& matrix, MatrixWindow& window, std::size_t pixel);

/// Eigenvalues in descending order; column j of `vectors` belongs to value j and has length 1.
struct EigenSystem {
  std::array<double, 4> values{};
  SmallMatrix vectors;
};

/// Cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, 4th ed. 2013, section 8.5,
/// with the pivot's phase taken out first). Error when a value is not finite.
EigenSystem eigen_system(const SmallMatrix& hermitian);

}  // namespace oida
