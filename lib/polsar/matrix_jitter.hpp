#pragma once
// Changes of a coherency matrix that keep what its pixel is, for the training of networks.

#include <array>
#include <cstddef>
#include <vector>

#include "core/rng.hpp"
#include "polsar/features.hpp"
#include "polsar/normaliser.hpp"

namespace oida {

struct JitterOptions {
  /// The sensor's line of sight is turned by an angle drawn evenly from -x to x degrees, one for
  /// all pixels of a patch: what a slope along the flight line does.
  double orientation_deg = 0;
  /// Looks of speckle that is drawn anew around each pixel's matrix; 0 = none.
  int looks = 0;

  bool any() const { return orientation_deg > 0 || looks > 0; }
};

/// T (kT3Elements order) turned by `angle` (rad) about the line of sight:
///   T' = U T U^T,  U = [1 0 0; 0 cos 2a sin 2a; 0 -sin 2a cos 2a]
/// (Lee, Schuler, Ainsworth, IEEE TGRS 38 (2000) 2153; Lee and Pottier, Polarimetric Radar Imaging,
/// 2009, ch. 10). T11 and the span stay.
void turn_t3(std::array<double, 9>& t, double angle);

/// T' = A W A^H with A A^H = T and W complex Wishart of `looks` looks and unit mean, so that T' is
/// complex Wishart of mean T (Goodman, Ann. Math. Stat. 34 (1963) 152). W by Bartlett's
/// decomposition: W = B B^H / n, B lower triangular, |B_ii|^2 gamma of shape n - i + 1 (i from 1),
/// B_ij standard complex normal. On top of the L looks of T the equivalent number becomes
/// 1 / L' = 1 / L + 1 / n + 1 / (L n): a filtered T (data.speckle_filter) gets back what the filter
/// took. @pre looks >= 3. A matrix that is not positive definite stays as it is.
void redraw_t3(std::array<double, 9>& t, int looks, Random& random);

/// Applies both to patches of normalised log_t3 features, by way of the matrices that these stand
/// for.
class MatrixJitter {
 public:
  /// InputError naming data.orientation_deg or data.resample_looks for other features than log_t3,
  /// or for 1 or 2 looks.
  MatrixJitter(const JitterOptions& options, const FeatureRecipe& recipe, Normaliser normaliser);

  /// `pixels` of `stride` floats each; a pixel of zeros (none was there) stays.
  void apply(float* values, std::size_t pixels, std::size_t stride, Random random) const;

 private:
  std::array<double, 9> matrix_of(const float* pixel) const;
  void put(const std::array<double, 9>& t, float* pixel) const;

  JitterOptions options_;
  Normaliser normaliser_;
  const FeatureGroup& group_;
};

}  // namespace oida
