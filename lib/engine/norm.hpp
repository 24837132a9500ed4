#pragma once
// What every engine's norms share.

namespace oida {

/// Added to a variance before its root (Ioffe and Szegedy 2015; Wu and He 2018).
inline constexpr double kNormEpsilon = 1e-5;

/// Running moments move by this share towards those of a batch in each step.
inline constexpr float kMomentShare = 0.1F;

}  // namespace oida
