#include "polsar/wishart.hpp"

#include <cmath>

#include "core/error.hpp"

namespace oida {
namespace {

using Complex = std::complex<double>;

/// L g with g of three independent circular complex normals of unit power.
std::array<Complex, 3> scattering_vector(const Coherency& lower, Random& random) {
  std::array<Complex, 3> g;
  for (auto& component : g) {
    const double real = random.normal();
    component = Complex(real, random.normal()) * std::sqrt(0.5);
  }
  std::array<Complex, 3> k{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j <= i; ++j) k[i] += lower[i][j] * g[j];
  }
  return k;
}

double unit_open(Random& random) {
  return (random() + 0.5) * 0x1p-32;
}

/// Gamma of shape a >= 1 and unit scale.
double gamma(double a, Random& random) {
  const double d = a - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = random.normal();
    const double v = std::pow(1.0 + c * x, 3.0);
    if (v <= 0.0) continue;
    if (std::log(unit_open(random)) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

}  // namespace

std::optional<Coherency> try_cholesky(const Coherency& matrix) {
  Coherency lower{};
  for (std::size_t j = 0; j < 3; ++j) {
    double pivot = matrix[j][j].real();
    for (std::size_t k = 0; k < j; ++k) pivot -= std::norm(lower[j][k]);
    if (!(pivot > 0.0)) return std::nullopt;
    lower[j][j] = std::sqrt(pivot);
    for (std::size_t i = j + 1; i < 3; ++i) {
      Complex sum = matrix[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= lower[i][k] * std::conj(lower[j][k]);
      lower[i][j] = sum / lower[j][j];
    }
  }
  return lower;
}

Coherency cholesky(const Coherency& matrix) {
  const auto lower = try_cholesky(matrix);
  if (!lower) throw Error("cholesky", "the coherency matrix is not positive definite");
  return *lower;
}

std::array<double, 9> wishart_t3(const Coherency& lower, int looks, double texture,
                                 Random& random) {
  if (looks < 1) throw Error("wishart_t3", std::to_string(looks) + " looks; allowed: 1 or more");
  std::array<double, 9> t{};
  for (int look = 0; look < looks; ++look) {
    const auto k = scattering_vector(lower, random);
    const Complex t12 = k[0] * std::conj(k[1]);
    const Complex t13 = k[0] * std::conj(k[2]);
    const Complex t23 = k[1] * std::conj(k[2]);
    const std::array<double, 9> outer = {std::norm(k[0]), t12.real(), t12.imag(),
                                         t13.real(),      t13.imag(), std::norm(k[1]),
                                         t23.real(),      t23.imag(), std::norm(k[2])};
    for (std::size_t i = 0; i < t.size(); ++i) t[i] += outer[i];
  }
  for (double& element : t) element *= texture / looks;
  return t;
}

double gamma_texture(double order, Random& random) {
  if (!(order > 0.0)) throw Error("gamma_texture", "the order must be above 0");
  if (order >= 1.0) return gamma(order, random) / order;
  const double boosted = gamma(order + 1.0, random);
  return boosted * std::pow(unit_open(random), 1.0 / order) / order;
}

}  // namespace oida
