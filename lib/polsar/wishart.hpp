#pragma once
// Synthetic speckle: samples of the complex Wishart distribution (Goodman, Ann. Math. Stat. 34
// (1963) 152; Lee and Pottier, Polarimetric Radar Imaging, 2009, ch. 4) with product-model texture.

#include <array>
#include <complex>
#include <optional>

#include "core/rng.hpp"

namespace oida {

using Coherency = std::array<std::array<std::complex<double>, 3>, 3>;

/// Lower Cholesky factor of a positive definite Hermitian matrix; nothing when it is not.
std::optional<Coherency> try_cholesky(const Coherency& matrix);
/// The same; Error when it is not.
Coherency cholesky(const Coherency& matrix);

/// Mean of `looks` outer products k k* of k ~ CN(0, L L*), times `texture`; in kT3Elements order.
std::array<double, 9> wishart_t3(const Coherency& lower, int looks, double texture, Random& random);

/// Gamma-distributed texture of unit mean and shape `order` (K-distributed speckle); order > 0
/// (Marsaglia and Tsang, ACM TOMS 26 (2000) 363).
double gamma_texture(double order, Random& random);

}  // namespace oida
