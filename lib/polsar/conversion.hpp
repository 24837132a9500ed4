#pragma once
// From one kind of polarimetric matrix to another, and to fewer, better averaged pixels.

#include "polsar/matrix.hpp"

namespace oida {

/// s2, c4, t4 -> c3, t3, c4, t4, c2; c3, t3 -> c3, t3, c2; c2 -> the same c2. A 3 x 3 or c2 result
/// takes (HV+VH)/2 for the cross-polar channel (reciprocity; a c2 of pp1 or pp2 from c4, t4 or s2
/// too).
bool converts(MatrixKind from, MatrixKind to);

/// M' = A M A* with k' = A k (Lee and Pottier 2009, sections 3.2 to 3.3), in double; `pair` is
/// given for c2 and only for it. Validity is kept, values of invalid pixels become zero. Error
/// where converts() says no, and for a c2 of another pair.
MatrixWindow convert(const MatrixWindow& window, MatrixKind to,
                     ChannelPair pair = ChannelPair::none);

/// Means of the valid pixels of `looks_rows` x `looks_cols` cells, from the window's first pixel
/// on; rows and columns that fill no cell are dropped. A cell without a valid pixel is invalid and
/// zero. An s2 is refused: only second moments may be averaged (convert first).
MatrixWindow multilook(const MatrixWindow& window, int looks_rows, int looks_cols);

}  // namespace oida
