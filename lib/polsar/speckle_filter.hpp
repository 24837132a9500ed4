#pragma once
// Which speckle filter runs over the matrices before features are made.

#include <string>

#include "polsar/matrix.hpp"

namespace oida {

struct SpeckleFilter {
  enum class Kind { none, boxcar, refined_lee };
  Kind kind = Kind::none;
  int side_px = 1;     // odd
  double looks = 1.0;  // of the scene; refined Lee only

  /// Pixels around a window that its filtered pixels depend on.
  int halo_px() const { return side_px / 2; }
  bool operator==(const SpeckleFilter&) const = default;
};

/// "none", "boxcar:N", "refined_lee:N" or "refined_lee:N:LOOKS"; without LOOKS it is 1, the
/// strongest. N is odd, up to 255; from 1 for the boxcar, from 5 for refined Lee. InputError
/// otherwise.
SpeckleFilter speckle_filter(const std::string& text);
/// What speckle_filter() reads back as the same.
std::string to_text(const SpeckleFilter& filter);

/// See boxcar() and refined_lee(); not for s2.
MatrixWindow filtered(const MatrixWindow& window, const SpeckleFilter& filter);

}  // namespace oida
