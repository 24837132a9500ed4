#include "polsar/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/error.hpp"

namespace oida {
namespace {

using T3 = std::array<double, 9>;

constexpr std::array<std::size_t, 2> kDiagonal2 = {0, 3};
constexpr std::array<std::size_t, 3> kDiagonal3 = {0, 5, 8};
constexpr std::array<std::size_t, 4> kDiagonal4 = {0, 7, 12, 15};

constexpr std::array<std::string_view, 5> kPairNames = {"none", "pp1", "pp2", "pp3", "RH RV"};

double squared(double real, double imaginary) {
  return real * real + imaginary * imaginary;
}

double determinant(const T3& t) {
  const auto [a, xr, xi, yr, yi, b, zr, zi, c] = t;
  const double twice_real_xzy = 2.0 * ((xr * zr - xi * zi) * yr + (xr * zi + xi * zr) * yi);
  return a * b * c + twice_real_xzy - a * squared(zr, zi) - b * squared(yr, yi) -
         c * squared(xr, xi);
}

}  // namespace

std::span<const std::string_view> elements(MatrixKind kind) {
  switch (kind) {
    case MatrixKind::s2:
      return kS2Elements;
    case MatrixKind::c2:
      return kC2Elements;
    case MatrixKind::c3:
      return kC3Elements;
    case MatrixKind::t3:
      return kT3Elements;
    case MatrixKind::c4:
      return kC4Elements;
    case MatrixKind::t4:
      return kT4Elements;
  }
  throw Error("elements", "a matrix of no known kind");
}

std::span<const std::size_t> diagonal(MatrixKind kind) {
  if (kind == MatrixKind::s2) return {};
  switch (order(kind)) {
    case 2:
      return kDiagonal2;
    case 3:
      return kDiagonal3;
    default:
      return kDiagonal4;
  }
}

int order(MatrixKind kind) {
  switch (kind) {
    case MatrixKind::s2:
    case MatrixKind::c2:
      return 2;
    case MatrixKind::c3:
    case MatrixKind::t3:
      return 3;
    case MatrixKind::c4:
    case MatrixKind::t4:
      return 4;
  }
  throw Error("order", "a matrix of no known kind");
}

std::string_view name(MatrixKind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"S2", "C2", "C3", "T3", "C4", "T4"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string_view name(ChannelPair pair) {
  return kPairNames.at(static_cast<std::size_t>(pair));
}

ChannelPair channel_pair(std::string_view name) {
  const auto found = std::find(kPairNames.begin(), kPairNames.end(), name);
  if (found != kPairNames.end()) return static_cast<ChannelPair>(found - kPairNames.begin());
  throw InputError("channel pair", "'" + std::string(name) + "' is unknown");
}

MatrixWindow make_window(MatrixKind kind, ChannelPair pair, int rows, int cols) {
  MatrixWindow window;
  window.kind = kind;
  window.pair = pair;
  window.rows = rows;
  window.cols = cols;
  window.planes.assign(elements(kind).size() * window.pixels(), 0.0F);
  window.valid.assign(window.pixels(), 1);
  return window;
}

Defects& Defects::operator+=(const Defects& other) {
  pixels += other.pixels;
  invalid += other.invalid;
  negative_power += other.negative_power;
  zero_power += other.zero_power;
  not_semidefinite += other.not_semidefinite;
  return *this;
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
