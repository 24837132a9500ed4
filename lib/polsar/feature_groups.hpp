#pragma once
// The named groups of features, of one pixel's matrix each.

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "polsar/matrix.hpp"

namespace oida {

/// Powers below kPowerFloor times the span are raised to it and normalised off-diagonal elements
/// longer than 1 are shortened to 1, so that every valid pixel has finite features.
inline constexpr double kPowerFloor = 1e-3;

/// `put` writes channels.size() values of a matrix: nine elements of a t3, or four of a c2.
struct FeatureGroup {
  std::string_view name;
  std::vector<std::string_view> channels;
  /// Of each channel: 1, or -1 where it changes sign with HV -> -HV.
  std::vector<float> mirror_signs;
  void (*put)(std::span<const double> matrix, float* out);
};

/// Of a quad-pol scene (`pair` none), with T a t3:
///   log_t3   log10 of T11, T22, T33, then Tij / sqrt(Tii Tjj) of 12, 13, 23, real and imaginary
///   pauli    log10 of T22, T33, T11: double bounce, volume, surface
///   haalpha  entropy, anisotropy, alpha in degrees: h_a_alpha()
///   freeman  log10 of double bounce, volume, surface: freeman_durden()
///   span     log10 (T11 + T22 + T33)
///   ratios   log10 of |VV|^2 / |HH|^2 and |HV|^2 / |HH|^2
/// Of a dual-pol scene, with C a c2:
///   log_c2   log10 of C11, C22, then C12 / sqrt(C11 C22), real and imaginary
///   span     log10 (C11 + C22)
///   ratios   log10 (C22 / C11)
/// rh_rv: a mirrored scene is seen with the other hand; its features are taken as unchanged, which
/// holds for targets with reflection symmetry (<HH HV*> = <VV HV*> = 0).
const std::vector<FeatureGroup>& feature_groups(ChannelPair pair);

}  // namespace oida
