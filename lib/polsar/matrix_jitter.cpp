#include "polsar/matrix_jitter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "polsar/wishart.hpp"

namespace oida {
namespace {

using Complex = std::complex<double>;
constexpr std::size_t kChannels = 9;

Coherency full(const std::array<double, 9>& t) {
  const Complex t12(t[1], t[2]), t13(t[3], t[4]), t23(t[6], t[7]);
  return {{{t[0], t12, t13}, {std::conj(t12), t[5], t23}, {std::conj(t13), std::conj(t23), t[8]}}};
}

/// The elements of M M^H for lower triangular M.
std::array<double, 9> squared(const Coherency& m) {
  const auto entry = [&](std::size_t i, std::size_t j) {
    Complex sum = 0;
    for (std::size_t k = 0; k <= std::min(i, j); ++k) sum += m[i][k] * std::conj(m[j][k]);
    return sum;
  };
  const Complex t12 = entry(0, 1), t13 = entry(0, 2), t23 = entry(1, 2);
  return {entry(0, 0).real(), t12.real(), t12.imag(), t13.real(),        t13.imag(),
          entry(1, 1).real(), t23.real(), t23.imag(), entry(2, 2).real()};
}

/// B / sqrt(n), so that its product with its conjugate transpose has unit mean.
Coherency bartlett(int looks, Random& random) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(looks));
  Coherency b{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double shape = static_cast<double>(looks) - static_cast<double>(i);
    b[i][i] = scale * std::sqrt(shape * gamma_texture(shape, random));
    for (std::size_t j = 0; j < i; ++j) {
      const double real = random.normal();
      b[i][j] = scale * std::sqrt(0.5) * Complex(real, random.normal());
    }
  }
  return b;
}

const FeatureGroup& log_t3() {
  return *std::ranges::find(feature_groups(ChannelPair::none), "log_t3", &FeatureGroup::name);
}

}  // namespace

void turn_t3(std::array<double, 9>& t, double angle) {
  const double c = std::cos(2 * angle), s = std::sin(2 * angle);
  const double t22 = t[5], t33 = t[8], real23 = t[6];
  const Complex t12(t[1], t[2]), t13(t[3], t[4]);
  const Complex turned12 = c * t12 + s * t13, turned13 = c * t13 - s * t12;
  t[1] = turned12.real();
  t[2] = turned12.imag();
  t[3] = turned13.real();
  t[4] = turned13.imag();
  t[5] = c * c * t22 + s * s * t33 + 2 * c * s * real23;
  t[8] = s * s * t22 + c * c * t33 - 2 * c * s * real23;
  t[6] = (c * c - s * s) * real23 + c * s * (t33 - t22);
}

void redraw_t3(std::array<double, 9>& t, int looks, Random& random) {
  const auto lower = try_cholesky(full(t));
  if (!lower) return;
  const Coherency b = bartlett(looks, random);
  Coherency product{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t k = j; k <= i; ++k) product[i][j] += (*lower)[i][k] * b[k][j];
    }
  }
  t = squared(product);
}

MatrixJitter::MatrixJitter(const JitterOptions& options, const FeatureRecipe& recipe,
                           Normaliser normaliser)
    : options_(options), normaliser_(std::move(normaliser)), group_(log_t3()) {
  if (options.looks == 1 || options.looks == 2) {
    throw InputError("data.resample_looks",
                     std::to_string(options.looks) + "; allowed: 0 (none), or 3 and more");
  }
  if (recipe.features == std::vector<std::string>{std::string(group_.name)}) return;
  throw InputError(options.looks > 0 ? "data.resample_looks" : "data.orientation_deg",
                   "the features are " + features_text(recipe) + "; allowed with log_t3 only");
}

std::array<double, 9> MatrixJitter::matrix_of(const float* pixel) const {
  std::array<double, kChannels> f{};
  for (std::size_t c = 0; c < kChannels; ++c) {
    f[c] = static_cast<double>(pixel[c]) / static_cast<double>(normaliser_.inverse_deviation[c]) +
           static_cast<double>(normaliser_.mean[c]);
  }
  const double t11 = std::pow(10.0, f[0]), t22 = std::pow(10.0, f[1]), t33 = std::pow(10.0, f[2]);
  const double n12 = std::sqrt(t11 * t22), n13 = std::sqrt(t11 * t33), n23 = std::sqrt(t22 * t33);
  return {t11, n12 * f[3], n12 * f[4], n13 * f[5], n13 * f[6], t22, n23 * f[7], n23 * f[8], t33};
}

void MatrixJitter::put(const std::array<double, 9>& t, float* pixel) const {
  group_.put(t, pixel);
  for (std::size_t c = 0; c < kChannels; ++c) {
    pixel[c] = (pixel[c] - normaliser_.mean[c]) * normaliser_.inverse_deviation[c];
  }
}

void MatrixJitter::apply(float* values, std::size_t pixels, std::size_t stride,
                         Random random) const {
  const double most = options_.orientation_deg * std::numbers::pi / 180.0;
  const double angle = most * (2.0 * static_cast<double>(random.uniform()) - 1.0);
  for (std::size_t i = 0; i < pixels; ++i) {
    float* pixel = values + i * stride;
    if (std::all_of(pixel, pixel + kChannels, [](float v) { return v == 0.0F; })) continue;
    auto t = matrix_of(pixel);
    if (most > 0.0) turn_t3(t, angle);
    if (options_.looks > 0) redraw_t3(t, options_.looks, random);
    put(t, pixel);
  }
}

}  // namespace oida
