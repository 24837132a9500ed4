#include "polsar/feature_groups.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "polsar/decomposition.hpp"

namespace oida {
namespace {

/// Below anything that float32 elements can give; keeps a mean that rounds to nothing finite.
constexpr double kLeastPower = 1e-60;

using Elements = std::span<const double>;

/// The least power that counts where the span is `span`.
double floor_of(double span) {
  return std::max(kPowerFloor * span, kLeastPower);
}
double span_t3(Elements t) {
  return t[0] + t[5] + t[8];
}

float log10_of(double power, double least) {
  return static_cast<float>(std::log10(std::max(power, least)));
}

/// Writes real and imaginary part of element / norm, shortened to length 1.
void put_normalised(double real, double imaginary, double norm, float* out) {
  const double length = std::max(1.0, std::hypot(real, imaginary) / norm);
  out[0] = static_cast<float>(real / norm / length);
  out[1] = static_cast<float>(imaginary / norm / length);
}

void put_log_t3(Elements t, float* out) {
  const double least = floor_of(span_t3(t));
  const double t11 = std::max(t[0], least);
  const double t22 = std::max(t[5], least);
  const double t33 = std::max(t[8], least);
  out[0] = static_cast<float>(std::log10(t11));
  out[1] = static_cast<float>(std::log10(t22));
  out[2] = static_cast<float>(std::log10(t33));
  put_normalised(t[1], t[2], std::sqrt(t11 * t22), out + 3);
  put_normalised(t[3], t[4], std::sqrt(t11 * t33), out + 5);
  put_normalised(t[6], t[7], std::sqrt(t22 * t33), out + 7);
}

void put_pauli(Elements t, float* out) {
  const double least = floor_of(span_t3(t));
  out[0] = log10_of(t[5], least);
  out[1] = log10_of(t[8], least);
  out[2] = log10_of(t[0], least);
}

std::array<double, 9> nine(Elements t) {
  std::array<double, 9> copy{};
  std::copy_n(t.begin(), copy.size(), copy.begin());
  return copy;
}

void put_haalpha(Elements t, float* out) {
  const HAAlpha result = h_a_alpha(nine(t));
  out[0] = static_cast<float>(result.entropy);
  out[1] = static_cast<float>(result.anisotropy);
  out[2] = static_cast<float>(result.alpha_deg);
}

void put_freeman(Elements t, float* out) {
  const FreemanDurden powers = freeman_durden(nine(t));
  const double least = floor_of(span_t3(t));
  out[0] = log10_of(powers.double_bounce, least);
  out[1] = log10_of(powers.volume, least);
  out[2] = log10_of(powers.surface, least);
}

void put_span_t3(Elements t, float* out) {
  out[0] = log10_of(span_t3(t), kLeastPower);
}

void put_ratios_t3(Elements t, float* out) {
  const double least = floor_of(span_t3(t));
  const double half_co = 0.5 * (t[0] + t[5]);
  const float hh = log10_of(half_co + t[1], least);
  out[0] = log10_of(half_co - t[1], least) - hh;
  out[1] = log10_of(0.5 * t[8], least) - hh;
}

void put_log_c2(Elements c, float* out) {
  const double least = floor_of(c[0] + c[3]);
  const double c11 = std::max(c[0], least);
  const double c22 = std::max(c[3], least);
  out[0] = static_cast<float>(std::log10(c11));
  out[1] = static_cast<float>(std::log10(c22));
  put_normalised(c[1], c[2], std::sqrt(c11 * c22), out + 2);
}

void put_span_c2(Elements c, float* out) {
  out[0] = log10_of(c[0] + c[3], kLeastPower);
}

void put_ratios_c2(Elements c, float* out) {
  const double least = floor_of(c[0] + c[3]);
  out[0] = log10_of(c[3], least) - log10_of(c[0], least);
}

std::vector<FeatureGroup> quad_groups() {
  return {
      {"log_t3",
       {"log10 T11", "log10 T22", "log10 T33", "rho12 real", "rho12 imag", "rho13 real",
        "rho13 imag", "rho23 real", "rho23 imag"},
       {1, 1, 1, 1, 1, -1, -1, -1, -1},
       put_log_t3},
      {"pauli", {"log10 |HH-VV|^2/2", "log10 2|HV|^2", "log10 |HH+VV|^2/2"}, {1, 1, 1}, put_pauli},
      {"haalpha", {"entropy", "anisotropy", "alpha deg"}, {1, 1, 1}, put_haalpha},
      {"freeman", {"log10 double bounce", "log10 volume", "log10 surface"}, {1, 1, 1}, put_freeman},
      {"span", {"log10 span"}, {1}, put_span_t3},
      {"ratios", {"log10 VV/HH", "log10 HV/HH"}, {1, 1}, put_ratios_t3},
  };
}

/// `cross`: the sign of C12 in a mirrored scene.
std::vector<FeatureGroup> dual_groups(float cross) {
  return {
      {"log_c2",
       {"log10 C11", "log10 C22", "rho12 real", "rho12 imag"},
       {1, 1, cross, cross},
       put_log_c2},
      {"span", {"log10 span"}, {1}, put_span_c2},
      {"ratios", {"log10 C22/C11"}, {1}, put_ratios_c2},
  };
}

}  // namespace

const std::vector<FeatureGroup>& feature_groups(ChannelPair pair) {
  static const auto quad = quad_groups();
  static const auto one_cross_polar = dual_groups(-1.0F);
  static const auto others = dual_groups(1.0F);
  switch (pair) {
    case ChannelPair::none:
      return quad;
    case ChannelPair::pp1:
    case ChannelPair::pp2:
      return one_cross_polar;
    case ChannelPair::pp3:
    case ChannelPair::rh_rv:
      return others;
  }
  throw Error("features", "a pair of no known channels");
}

}  // namespace oida
