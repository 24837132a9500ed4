#include "polsar/decomposition.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "polsar/hermitian.hpp"

namespace oida {
namespace {

SmallMatrix hermitian(const std::array<double, 9>& t) {
  SmallMatrix m;
  m.n = 3;
  const Complex t12(t[1], t[2]), t13(t[3], t[4]), t23(t[6], t[7]);
  m.at[0] = {t[0], t12, t13};
  m.at[1] = {std::conj(t12), t[5], t23};
  m.at[2] = {std::conj(t13), std::conj(t23), t[8]};
  return m;
}

double degrees(double radians) {
  return radians * 180.0 / std::numbers::pi;
}

}  // namespace

HAAlpha h_a_alpha(const std::array<double, 9>& t) {
  const EigenSystem system = eigen_system(hermitian(t));
  HAAlpha result;
  std::array<double, 3> lambda{};
  for (std::size_t i = 0; i < 3; ++i) {
    result.eigenvalues[i] = system.values[i];
    lambda[i] = std::max(0.0, system.values[i]);
  }
  const double sum = lambda[0] + lambda[1] + lambda[2];
  if (!(sum > 0.0)) return result;

  for (std::size_t i = 0; i < 3; ++i) {
    const double share = lambda[i] / sum;
    const double first = std::min(1.0, std::abs(system.vectors.at[0][i]));
    if (share > 0.0) result.entropy -= share * std::log(share) / std::log(3.0);
    result.alpha_deg += share * degrees(std::acos(first));
  }
  const double minor = lambda[1] + lambda[2];
  if (minor > 0.0) result.anisotropy = (lambda[1] - lambda[2]) / minor;
  return result;
}

FreemanDurden freeman_durden(const std::array<double, 9>& t) {
  const double span = t[0] + t[5] + t[8];
  const double volume = 1.5 * std::max(0.0, t[8]);  // f_v = 3 |HV|^2, T33 = 2 |HV|^2
  const double hh = 0.5 * (t[0] + t[5]) + t[1] - volume;
  const double vv = 0.5 * (t[0] + t[5]) - t[1] - volume;
  if (hh <= 0.0 || vv <= 0.0) return {0.0, 0.0, span};

  const double real = 0.5 * (t[0] - t[5]) - volume / 3.0;
  const double remaining = std::max(0.0, hh * vv - real * real - t[2] * t[2]);
  const double minor = 2.0 * remaining / (hh + vv + 2.0 * std::abs(real));
  const double major = hh + vv - minor;
  const double volume_power = 8.0 / 3.0 * volume;
  if (real >= 0.0) return {major, minor, volume_power};
  return {minor, major, volume_power};
}

}  // namespace oida
