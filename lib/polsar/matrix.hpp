#pragma once
// A window of polarimetric matrices as it comes from a scene, before any feature is made.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace oida {

/// T3: k = (1/sqrt 2) [HH+VV, HH-VV, 2HV] (Cloude and Pottier 1996), T = <k k*>.
enum class MatrixKind { t3 };

/// Real planes of a matrix in PolSARpro's order: T11, T12_real, T12_imag, T13_real, T13_imag, T22,
/// T23_real, T23_imag, T33.
inline constexpr std::array<std::string_view, 9> kT3Elements = {
    "T11", "T12_real", "T12_imag", "T13_real", "T13_imag", "T22", "T23_real", "T23_imag", "T33"};

/// Planes: [elements, rows, cols], float32, linear power as read.
struct MatrixWindow {
  MatrixKind kind = MatrixKind::t3;
  int rows = 0;
  int cols = 0;
  std::vector<float> planes;
  /// [rows, cols]: 1 where every element is finite, the span is positive and no mask excludes it.
  std::vector<std::uint8_t> valid;

  std::size_t pixels() const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  }
  const float* plane(std::size_t element) const { return planes.data() + element * pixels(); }
  float* plane(std::size_t element) { return planes.data() + element * pixels(); }
};

/// Defects seen among `pixels` pixels; valid pixels with a defect are used after flooring.
struct Defects {
  std::int64_t pixels = 0;
  std::int64_t invalid = 0;           // NaN or infinite, no power, or masked: never a sample
  std::int64_t negative_power = 0;    // a diagonal element below zero
  std::int64_t zero_power = 0;        // a diagonal element equal to zero
  std::int64_t not_semidefinite = 0;  // smallest eigenvalue below -1e-6 times the largest

  Defects& operator+=(const Defects& other);
};

/// Sets `window.valid` (an existing 0, put there by a mask, stays) and counts the defects.
Defects audit(MatrixWindow& window);

/// Eigenvalues of one T3 matrix in descending order (closed form for Hermitian 3 x 3 matrices;
/// Cardano, as given in Kopp, Int. J. Mod. Phys. C 19 (2008) 523). `t` in kT3Elements order.
std::array<double, 3> eigenvalues_t3(const std::array<double, 9>& t);

}  // namespace oida
