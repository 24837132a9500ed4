#include "polsar/decomposition.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "polsar/boxcar.hpp"
#include "samples.hpp"

namespace oida {
namespace {

using test::Complex;

// Entropy, anisotropy, alpha and eigenvalues by PolSARpro, of the 3 x 3 mean of the folder's T3.
TEST(HAAlpha, AgreesWithPolsarpro) {
  OIDA_NEEDS_DATA();
  const auto folder = test::data_dir() / "flevoland_headerless_haalpha";
  MatrixWindow window = test::read_t3(folder, 128, 256);
  audit(window);
  const MatrixWindow mean = boxcar(window, 3);
  std::vector<std::vector<float>> reference;
  for (const char* name : {"entropy", "anisotropy", "alpha", "l1", "l2", "l3"}) {
    reference.push_back(test::read_raw(folder / (std::string(name) + ".bin"), window.pixels()));
  }
  for (int row = 1; row < 127; ++row) {
    for (int col = 1; col < 255; ++col) {
      const auto i = static_cast<std::size_t>(row * 256 + col);
      const HAAlpha found = h_a_alpha(test::matrix_at(mean, i));
      const auto want = [&](std::size_t k) { return static_cast<double>(reference[k][i]); };
      ASSERT_NEAR(found.entropy, want(0), 1e-4) << i;
      ASSERT_NEAR(found.anisotropy, want(1), 1e-4) << i;
      ASSERT_NEAR(found.alpha_deg, want(2), 1e-4 * 90.0) << i;
      for (std::size_t k = 0; k < 3; ++k) {
        ASSERT_NEAR(found.eigenvalues[k], want(3 + k), 1e-4 * want(3)) << i << " " << k;
      }
    }
  }
}

// Canonical scatterers: a sphere, a dihedral, a dipole (alpha 0, 90, 45 degrees) and noise.
TEST(HAAlpha, OfCanonicalScatterers) {
  const double root = std::sqrt(0.5);
  const auto of = [&](Complex hh, Complex hv, Complex vv) {
    return h_a_alpha(test::outer({root * (hh + vv), root * (hh - vv), root * 2.0 * hv}));
  };
  EXPECT_NEAR(of(1, 0, 1).alpha_deg, 0.0, 1e-5);
  EXPECT_NEAR(of(1, 0, -1).alpha_deg, 90.0, 1e-5);
  EXPECT_NEAR(of(1, 0, 0).alpha_deg, 45.0, 1e-5);
  EXPECT_NEAR(of(1, 0, 0).entropy, 0.0, 1e-9);
  const HAAlpha noise = h_a_alpha({2, 0, 0, 0, 0, 2, 0, 0, 2});
  EXPECT_NEAR(noise.entropy, 1.0, 1e-12);
  EXPECT_NEAR(noise.anisotropy, 0.0, 1e-12);
  EXPECT_NEAR(noise.alpha_deg, 60.0, 1e-9);
  const HAAlpha two = h_a_alpha({3, 0, 0, 0, 0, 3, 0, 0, 0});
  EXPECT_NEAR(two.entropy, std::log(2.0) / std::log(3.0), 1e-12);
  EXPECT_NEAR(two.anisotropy, 1.0, 1e-12);
}

TEST(HAAlpha, NegativeEigenvaluesCountAsZero) {
  const HAAlpha found = h_a_alpha({3, 0, 0, 0, 0, 3, 0, 0, -1});
  EXPECT_NEAR(found.entropy, std::log(2.0) / std::log(3.0), 1e-12);
  EXPECT_NEAR(found.eigenvalues[2], -1.0, 1e-12);
  EXPECT_EQ(h_a_alpha({0, 0, 0, 0, 0, 0, 0, 0, 0}).entropy, 0.0);
  EXPECT_EQ(h_a_alpha({-1, 0, 0, 0, 0, -1, 0, 0, -1}).entropy, 0.0);
}

/// Second moments that Freeman and Durden's model works on.
struct Moments {
  double hh, vv, hv;
  Complex hhvv;
};

/// T of moments without correlation between co- and cross-polar channels.
std::array<double, 9> coherency(const Moments& m) {
  const Complex t12 = 0.5 * (m.hh - m.vv - m.hhvv + std::conj(m.hhvv));
  return {0.5 * (m.hh + m.vv) + m.hhvv.real(), t12.real(), t12.imag(), 0,       0,
          0.5 * (m.hh + m.vv) - m.hhvv.real(), 0,          0,          2 * m.hv};
}

/// Freeman and Durden 1998, eqs. 7 and 12: the model, forwards.
Moments model(double fs, Complex beta, double fd, Complex alpha, double fv) {
  return {fs * std::norm(beta) + fd * std::norm(alpha) + fv, fs + fd + fv, fv / 3.0,
          fs * beta + fd * alpha + fv / 3.0};
}

// Powers of a scene made by the model: P_s = fs (1 + |beta|^2), P_d = fd (1 + |alpha|^2), P_v = 8
// fv / 3 (eqs. 13).
TEST(FreemanDurden, FindsThePowersThatMadeTheScene) {
  for (std::uint64_t sample = 0; sample < 200; ++sample) {
    Random random(sample, Purpose::test);
    const auto draw = [&] { return std::abs(random.normal()) + 0.01; };
    const double fv = draw();
    {
      const double fs = 3.0 + draw(), fd = 0.3 * draw();
      const Complex beta(0.5 + draw(), 0.2 * random.normal());
      const Moments moments = model(fs, beta, fd, -1.0, fv);
      if ((moments.hhvv - fv / 3.0).real() < 0.0) continue;
      const FreemanDurden found = freeman_durden(coherency(moments));
      EXPECT_NEAR(found.surface, fs * (1.0 + std::norm(beta)), 1e-9);
      EXPECT_NEAR(found.double_bounce, 2.0 * fd, 1e-9);
      EXPECT_NEAR(found.volume, 8.0 * fv / 3.0, 1e-9);
    }
    {
      const double fd = 3.0 + draw(), fs = 0.3 * draw();
      const Complex alpha(-0.5 - draw(), 0.2 * random.normal());
      const Moments moments = model(fs, 1.0, fd, alpha, fv);
      if ((moments.hhvv - fv / 3.0).real() >= 0.0) continue;
      const FreemanDurden found = freeman_durden(coherency(moments));
      EXPECT_NEAR(found.surface, 2.0 * fs, 1e-9);
      EXPECT_NEAR(found.double_bounce, fd * (1.0 + std::norm(alpha)), 1e-9);
      EXPECT_NEAR(found.volume, 8.0 * fv / 3.0, 1e-9);
    }
  }
}

/// The paper's way: fs, fd, then the free one of alpha and beta, then powers.
FreemanDurden plain(const std::array<double, 9>& t) {
  const double hv = std::max(0.0, t[8] / 2.0), fv = 3.0 * hv;
  const double hh = (t[0] + 2.0 * t[1] + t[5]) / 2.0 - fv;
  const double vv = (t[0] - 2.0 * t[1] + t[5]) / 2.0 - fv;
  Complex x((t[0] - t[5]) / 2.0 - fv / 3.0, -t[2]);
  if (hh <= 0.0 || vv <= 0.0) return {0.0, 0.0, t[0] + t[5] + t[8]};
  if (std::norm(x) > hh * vv) x *= std::sqrt(hh * vv) / std::abs(x);
  if (x.real() >= 0.0) {
    const double fd = (hh * vv - std::norm(x)) / (hh + vv + 2.0 * x.real());
    const double fs = vv - fd;
    const Complex beta = (x + fd) / fs;
    return {fs * (1.0 + std::norm(beta)), 2.0 * fd, 8.0 * fv / 3.0};
  }
  const double fs = (hh * vv - std::norm(x)) / (hh + vv - 2.0 * x.real());
  const double fd = vv - fs;
  const Complex alpha = (x - fs) / fd;
  return {2.0 * fs, fd * (1.0 + std::norm(alpha)), 8.0 * fv / 3.0};
}

TEST(FreemanDurden, IsThePapersOnFlevoland) {
  OIDA_NEEDS_DATA();
  MatrixWindow window = test::flevoland();
  std::array<int, 3> cases{};
  for (std::size_t i = 0; i < window.pixels(); i += 5) {
    const auto t = test::matrix_at(window, i);
    const double span = t[0] + t[5] + t[8];
    const FreemanDurden found = freeman_durden(t), want = plain(t);
    ASSERT_NEAR(found.surface, want.surface, 1e-9 * span) << i;
    ASSERT_NEAR(found.double_bounce, want.double_bounce, 1e-9 * span) << i;
    ASSERT_NEAR(found.volume, want.volume, 1e-9 * span) << i;
    ASSERT_GE(std::min({found.surface, found.double_bounce, found.volume}), 0.0) << i;
    const double sum = found.surface + found.double_bounce + found.volume;
    ASSERT_NEAR(sum, t[8] < 0.0 ? t[0] + t[5] : span, 1e-9 * span) << i;
    ++cases[want.surface == 0.0 ? 0 : want.surface > want.double_bounce ? 1 : 2];
  }
  for (const int seen : cases) EXPECT_GT(seen, 1000);
}

}  // namespace
}  // namespace oida
