#pragma once
// A window of polarimetric matrices as it comes from a scene, before any feature is made.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oida {

/// M = <k k*> of a scattering vector k, M_ij = <k_i conj(k_j)> (Cloude and Pottier, IEEE TGRS 34
/// (1996) 498; Lee and Pottier, Polarimetric Radar Imaging, 2009, ch. 3); HV is received H, sent V.
///   s2: no mean, the scattering matrix itself: HH, HV, VH, VV
///   c2: k = the two channels of a ChannelPair
///   c3: k = [HH, (HV+VH)/sqrt 2, VV]
///   t3: k = (1/sqrt 2) [HH+VV, HH-VV, HV+VH]
///   c4: k = [HH, HV, VH, VV]
///   t4: k = (1/sqrt 2) [HH+VV, HH-VV, HV+VH, i (HV-VH)]
/// So C22 of c3 is 2 |HV|^2 and its C12 is sqrt 2 HH HV*: a reader of files without these factors
/// (UAVSAR, NISAR GCOV) applies them.
enum class MatrixKind { s2, c2, c3, t3, c4, t4 };

/// The channels of a c2, in the order of its elements; pp1 to pp3 are PolSARpro's names. `none` for
/// every other kind. rh_rv: circular sent, linear received, RH = (HH - i HV) / sqrt 2 and
/// RV = (HV - i VV) / sqrt 2 (Raney, IEEE TGRS 45 (2007) 3397).
enum class ChannelPair {
  none,
  pp1,   // HH, VH (or HV)
  pp2,   // VV, HV (or VH)
  pp3,   // HH, VV
  rh_rv  // RH, RV
};

/// Real planes in PolSARpro's order: the upper triangle by rows, diagonal elements real. Each name
/// is that of PolSARpro's file, except s2's: its four files hold complex values.
inline constexpr std::array<std::string_view, 8> kS2Elements = {
    "s11_real", "s11_imag", "s12_real", "s12_imag", "s21_real", "s21_imag", "s22_real", "s22_imag"};
inline constexpr std::array<std::string_view, 4> kC2Elements = {"C11", "C12_real", "C12_imag",
                                                                "C22"};
inline constexpr std::array<std::string_view, 9> kC3Elements = {
    "C11", "C12_real", "C12_imag", "C13_real", "C13_imag", "C22", "C23_real", "C23_imag", "C33"};
inline constexpr std::array<std::string_view, 9> kT3Elements = {
    "T11", "T12_real", "T12_imag", "T13_real", "T13_imag", "T22", "T23_real", "T23_imag", "T33"};
inline constexpr std::array<std::string_view, 16> kC4Elements = {
    "C11",      "C12_real", "C12_imag", "C13_real", "C13_imag", "C14_real", "C14_imag", "C22",
    "C23_real", "C23_imag", "C24_real", "C24_imag", "C33",      "C34_real", "C34_imag", "C44"};
inline constexpr std::array<std::string_view, 16> kT4Elements = {
    "T11",      "T12_real", "T12_imag", "T13_real", "T13_imag", "T14_real", "T14_imag", "T22",
    "T23_real", "T23_imag", "T24_real", "T24_imag", "T33",      "T34_real", "T34_imag", "T44"};

/// Names of a kind's planes, in order.
std::span<const std::string_view> elements(MatrixKind kind);
/// Planes of the diagonal elements, in order; none for s2.
std::span<const std::size_t> diagonal(MatrixKind kind);
/// Side of the matrix: 2, 3 or 4 (s2: 2).
int order(MatrixKind kind);

/// "S2", "C2", "C3", ... and "none", "pp1", "pp2", "pp3", "RH RV".
std::string_view name(MatrixKind kind);
std::string_view name(ChannelPair pair);
/// The pair of a name; InputError on any other.
ChannelPair channel_pair(std::string_view name);

/// Defects seen among `pixels` pixels; valid pixels with a defect are used after flooring. An s2
/// has only invalid ones: |S|^2 is never negative and k k* always positive semi-definite.
struct Defects {
  std::int64_t pixels = 0;
  std::int64_t invalid = 0;           // NaN or infinite, no power, or masked: never a sample
  std::int64_t negative_power = 0;    // a diagonal element below zero
  std::int64_t zero_power = 0;        // a diagonal element equal to zero
  std::int64_t not_semidefinite = 0;  // smallest eigenvalue below -1e-6 times the largest

  Defects& operator+=(const Defects& other);
};

/// Planes: [elements, rows, cols], float32, linear power (s2: amplitude) as read.
struct MatrixWindow {
  MatrixKind kind = MatrixKind::t3;
  int rows = 0;
  int cols = 0;
  std::vector<float> planes;
  /// [rows, cols]: 1 where every element is finite, the span is positive and no mask excludes it.
  std::vector<std::uint8_t> valid;
  /// Of c2 only.
  ChannelPair pair = ChannelPair::none;
  /// What audit() counted.
  Defects defects;

  std::size_t pixels() const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  }
  const float* plane(std::size_t element) const { return planes.data() + element * pixels(); }
  float* plane(std::size_t element) { return planes.data() + element * pixels(); }
};

/// Planes of zeros, every pixel marked valid until audit() has looked at it.
MatrixWindow make_window(MatrixKind kind, ChannelPair pair, int rows, int cols);

/// Sets `window.valid` (an existing 0, put there by a mask, stays) and `window.defects`, which it
/// returns. Error when planes, mask and pair do not fit the kind and the size.
Defects audit(MatrixWindow& window);

/// Eigenvalues of one T3 matrix in descending order (closed form for Hermitian 3 x 3 matrices;
/// Cardano, as given in Kopp, Int. J. Mod. Phys. C 19 (2008) 523). `t` in kT3Elements order.
std::array<double, 3> eigenvalues_t3(const std::array<double, 9>& t);

}  // namespace oida
