#include "polsar/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/error.hpp"

namespace oida {
namespace {

using T3 = std::array<double, 9>;

constexpr std::size_t kElements = kT3Elements.size();
constexpr double kSemidefiniteTolerance = 1e-6;

double squared(double real, double imaginary) {
  return real * real + imaginary * imaginary;
}

double determinant(const T3& t) {
  const auto [a, xr, xi, yr, yi, b, zr, zi, c] = t;
  const double twice_real_xzy = 2.0 * ((xr * zr - xi * zi) * yr + (xr * zi + xi * zr) * yi);
  return a * b * c + twice_real_xzy - a * squared(zr, zi) - b * squared(yr, yi) -
         c * squared(xr, xi);
}

/// Sylvester's criterion: all leading principal minors are positive.
bool positive_definite(const T3& t) {
  return t[0] > 0.0 && t[0] * t[5] - squared(t[1], t[2]) > 0.0 && determinant(t) > 0.0;
}

bool semidefinite(const T3& t) {
  if (positive_definite(t)) return true;
  const auto lambda = eigenvalues_t3(t);
  return lambda[2] >= -kSemidefiniteTolerance * lambda[0];
}

bool usable(const T3& t) {
  return std::all_of(t.begin(), t.end(), [](double x) { return std::isfinite(x); }) &&
         t[0] + t[5] + t[8] > 0.0;
}

void count(const T3& t, Defects& defects) {
  const std::array<double, 3> powers = {t[0], t[5], t[8]};
  const auto any = [&](auto test) { return std::any_of(powers.begin(), powers.end(), test); };
  defects.negative_power += any([](double power) { return power < 0.0; });
  defects.zero_power += any([](double power) { return power == 0.0; });
  defects.not_semidefinite += !semidefinite(t);
}

}  // namespace

Defects& Defects::operator+=(const Defects& other) {
  pixels += other.pixels;
  invalid += other.invalid;
  negative_power += other.negative_power;
  zero_power += other.zero_power;
  not_semidefinite += other.not_semidefinite;
  return *this;
}

Defects audit(MatrixWindow& window) {
  const std::size_t pixels = window.pixels();
  if (window.valid.empty()) window.valid.assign(pixels, 1);
  if (window.planes.size() != kElements * pixels || window.valid.size() != pixels) {
    throw Error("audit", "a window of " + std::to_string(pixels) + " pixels has " +
                             std::to_string(window.planes.size()) + " values and " +
                             std::to_string(window.valid.size()) + " mask values");
  }
  Defects defects;
  defects.pixels = static_cast<std::int64_t>(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    T3 t;
    for (std::size_t element = 0; element < kElements; ++element) {
      t[element] = static_cast<double>(window.plane(element)[i]);
    }
    window.valid[i] = window.valid[i] != 0 && usable(t);
    if (window.valid[i] != 0) count(t, defects);
    defects.invalid += window.valid[i] == 0;
  }
  return defects;
}

std::array<double, 3> eigenvalues_t3(const std::array<double, 9>& t) {
  // Of the traceless part b: lambda^3 + c1 lambda + c0 = 0.
  const double mean = (t[0] + t[5] + t[8]) / 3.0;
  T3 b = t;
  for (const std::size_t diagonal : {0U, 5U, 8U}) b[diagonal] -= mean;
  const double off = squared(t[1], t[2]) + squared(t[3], t[4]) + squared(t[6], t[7]);
  const double c1 = -0.5 * (b[0] * b[0] + b[5] * b[5] + b[8] * b[8]) - off;
  const double c0 = -determinant(b);

  const double p = -3.0 * c1;
  const double q = -13.5 * c0;
  const double discriminant = std::max(0.0, p * p * p - q * q);
  const double phi = std::atan2(std::sqrt(discriminant), q) / 3.0;
  const double radius = 2.0 / 3.0 * std::sqrt(p);
  const double third = 2.0 * std::numbers::pi / 3.0;
  std::array<double, 3> lambda = {mean + radius * std::cos(phi),
                                  mean + radius * std::cos(phi - third),
                                  mean + radius * std::cos(phi + third)};
  std::sort(lambda.begin(), lambda.end(), std::greater<>());
  return lambda;
}

}  // namespace oida
