#pragma once
// The edge-aligned speckle filter of Lee, Grunes and de Grandi, "Polarimetric SAR speckle filtering
// and its implication for classification", IEEE TGRS 37 (1999) 2363; edges as in Lee, "Refined
// filtering of image noise using local statistics", CGIP 15 (1981) 380.

#include "polsar/matrix.hpp"

namespace oida {

inline constexpr int kLeastLeeSide_px = 5;

/// Every valid pixel becomes Z' = mean(Z) + b (Z - mean(Z)), all elements with one b. Means are
/// over the half of the `side_px` x `side_px` square that lies on the pixel's side of the strongest
/// edge of the span y (its line through the pixel included):
///
///   means m of y over 3 x 3 overlapping squares inside the large one; gradients of m in the four
///   directions, the largest wins; of the two halves the one whose outer mean is nearer to the
///   central one
///   b = var(x) / var(y), var(x) = max(0, var(y) - mean(y)^2 s) / (1 + s), s = 1 / looks
///
/// Only valid pixels count, those beyond the window's edge do not; a small square without any has
/// the central square's mean. Invalid pixels stay invalid and become zero. A pixel's result does
/// not depend on where the window lies as long as its square is inside. `side_px` is odd, 5 or
/// more; the papers give 7 (squares of 3, 2 px apart), the squares of other sizes are this
/// project's: of half side h, the small ones have half side (h + 2) / 3. `window` is no s2; `looks`
/// > 0.
MatrixWindow refined_lee(const MatrixWindow& window, int side_px, double looks);

}  // namespace oida
