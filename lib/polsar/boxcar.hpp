#pragma once
// The simplest speckle filter: the mean over a square.

#include "polsar/matrix.hpp"

namespace oida {

/// Every valid pixel becomes the mean of the valid pixels of the `side_px` x `side_px` square
/// around it, cut at the window's edge; `side_px` is odd. Invalid pixels stay invalid and become
/// zero. A pixel's result does not depend on where the window lies as long as its square is inside.
MatrixWindow boxcar(const MatrixWindow& window, int side_px);

}  // namespace oida
