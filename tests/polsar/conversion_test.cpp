#include "polsar/conversion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "samples.hpp"

namespace oida {
namespace {

using test::Complex;
using Vector = std::vector<Complex>;

/// One pixel's channels.
struct Scattering {
  Complex hh, hv, vh, vv;
};

Scattering random_scattering(std::uint64_t seed, bool reciprocal) {
  Random random(seed, Purpose::test);
  const auto draw = [&] {
    const double real = random.normal();
    return Complex(real, random.normal());
  };
  Scattering s{draw(), draw(), draw(), draw()};
  if (reciprocal) s.vh = s.hv;
  return s;
}

/// The scattering vectors of matrix.hpp, written out.
Vector vector_of(const Scattering& s, MatrixKind kind, ChannelPair pair) {
  const double root = std::sqrt(2.0);
  const Complex i(0, 1), cross = (s.hv + s.vh) / 2.0;
  if (kind == MatrixKind::c3) return {s.hh, (s.hv + s.vh) / root, s.vv};
  if (kind == MatrixKind::t3) {
    return {(s.hh + s.vv) / root, (s.hh - s.vv) / root, (s.hv + s.vh) / root};
  }
  if (kind == MatrixKind::c4) return {s.hh, s.hv, s.vh, s.vv};
  if (kind == MatrixKind::t4) {
    return {(s.hh + s.vv) / root, (s.hh - s.vv) / root, (s.hv + s.vh) / root,
            i * (s.hv - s.vh) / root};
  }
  if (pair == ChannelPair::pp1) return {s.hh, cross};
  if (pair == ChannelPair::pp2) return {s.vv, cross};
  if (pair == ChannelPair::pp3) return {s.hh, s.vv};
  return {(s.hh - i * cross) / root, (cross - i * s.vv) / root};
}

/// Upper triangle of k k*, as float planes would hold it.
std::vector<double> outer_elements(const Vector& k) {
  std::vector<double> elements;
  for (std::size_t i = 0; i < k.size(); ++i) {
    elements.push_back(std::norm(k[i]));
    for (std::size_t j = i + 1; j < k.size(); ++j) {
      const Complex product = k[i] * std::conj(k[j]);
      elements.push_back(product.real());
      elements.push_back(product.imag());
    }
  }
  return elements;
}

MatrixWindow one_pixel(const Scattering& s, MatrixKind kind, ChannelPair pair) {
  MatrixWindow window = make_window(kind, pair, 1, 1);
  if (kind == MatrixKind::s2) {
    const Vector channels = {s.hh, s.hv, s.vh, s.vv};
    for (std::size_t c = 0; c < 4; ++c) {
      window.planes[2 * c] = static_cast<float>(channels[c].real());
      window.planes[2 * c + 1] = static_cast<float>(channels[c].imag());
    }
    return window;
  }
  const auto values = outer_elements(vector_of(s, kind, pair));
  for (std::size_t e = 0; e < values.size(); ++e) {
    window.planes[e] = static_cast<float>(values[e]);
  }
  return window;
}

struct Form {
  MatrixKind kind;
  ChannelPair pair = ChannelPair::none;
};
const std::vector<Form> kForms = {{MatrixKind::s2},
                                  {MatrixKind::c3},
                                  {MatrixKind::t3},
                                  {MatrixKind::c4},
                                  {MatrixKind::t4},
                                  {MatrixKind::c2, ChannelPair::pp1},
                                  {MatrixKind::c2, ChannelPair::pp2},
                                  {MatrixKind::c2, ChannelPair::pp3},
                                  {MatrixKind::c2, ChannelPair::rh_rv}};

bool four_wide(MatrixKind kind) {
  return kind == MatrixKind::s2 || kind == MatrixKind::c4 || kind == MatrixKind::t4;
}

// Every way from one form to another, against the outer product of the target's own vector.
TEST(Conversion, GivesTheOuterProductOfTheTargetsVector) {
  int ways = 0;
  for (const Form& from : kForms) {
    for (const Form& to : kForms) {
      if (from.kind == MatrixKind::c2 || !converts(from.kind, to.kind)) continue;
      ++ways;
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto s = random_scattering(seed, !four_wide(from.kind));
        const auto result = convert(one_pixel(s, from.kind, from.pair), to.kind, to.pair);
        const auto want = outer_elements(vector_of(s, to.kind, to.pair));
        const double span = std::norm(s.hh) + std::norm(s.hv) + std::norm(s.vh) + std::norm(s.vv);
        ASSERT_EQ(result.planes.size(), want.size());
        for (std::size_t e = 0; e < want.size(); ++e) {
          ASSERT_NEAR(static_cast<double>(result.planes[e]), want[e], 5e-7 * span)
              << name(from.kind) << " to " << name(to.kind) << " " << name(to.pair) << " " << e;
        }
      }
    }
  }
  EXPECT_EQ(ways, 3 * 8 + 2 * 6);
}

MatrixWindow paired(const char* folder, MatrixKind kind, ChannelPair pair = ChannelPair::none) {
  MatrixWindow window = make_window(kind, pair, 201, 101);
  const auto path = test::data_dir() / "quadpol_paired_matrices" / folder;
  for (std::size_t e = 0; e < elements(kind).size(); ++e) {
    const auto plane =
        test::read_raw(path / (std::string(elements(kind)[e]) + ".bin"), window.pixels());
    std::copy(plane.begin(), plane.end(), window.plane(e));
  }
  audit(window);
  return window;
}

/// To `tolerance` of the root of the two diagonal elements that bound the element.
void expect_same(const MatrixWindow& found, const MatrixWindow& want, double tolerance) {
  ASSERT_EQ(found.kind, want.kind);
  ASSERT_EQ(found.valid, want.valid);
  ASSERT_EQ(found.planes.size(), want.planes.size());
  const auto powers = diagonal(want.kind);
  for (std::size_t i = 0; i < want.pixels(); ++i) {
    std::size_t e = 0;
    const auto power = [&](std::size_t d) { return static_cast<double>(want.plane(powers[d])[i]); };
    for (std::size_t row = 0; row < powers.size(); ++row) {
      for (std::size_t col = row; col < powers.size(); ++col) {
        for (int part = 0; part < (row == col ? 1 : 2); ++part, ++e) {
          ASSERT_NEAR(static_cast<double>(found.plane(e)[i]), static_cast<double>(want.plane(e)[i]),
                      tolerance * std::sqrt(power(row) * power(col)))
              << i << " " << elements(want.kind)[e];
        }
      }
    }
  }
}

TEST(Conversion, PairedMatricesAgree) {
  OIDA_NEEDS_DATA();
  const auto c3 = paired("C3", MatrixKind::c3), t3 = paired("T3", MatrixKind::t3);
  expect_same(convert(c3, MatrixKind::t3), t3, 1e-6);
  expect_same(convert(t3, MatrixKind::c3), c3, 1e-6);
  for (const auto& quad : {c3, t3}) {
    expect_same(convert(quad, MatrixKind::c2, ChannelPair::pp1),
                paired("C2_VVVH", MatrixKind::c2, ChannelPair::pp1), 1e-6);
    expect_same(convert(quad, MatrixKind::c2, ChannelPair::rh_rv),
                paired("C2_RHV", MatrixKind::c2, ChannelPair::rh_rv), 1e-6);
  }
}

TEST(Conversion, InvalidPixelsStaySo) {
  MatrixWindow window = test::random_window(2, 2, 1);
  window.plane(4)[2] = std::numeric_limits<float>::quiet_NaN();
  audit(window);
  const auto c3 = convert(window, MatrixKind::c3);
  EXPECT_EQ(c3.valid, window.valid);
  for (std::size_t e = 0; e < 9; ++e) EXPECT_EQ(c3.plane(e)[2], 0.0F);
}

TEST(Conversion, RefusesWhatCannotBe) {
  const auto t3 = test::random_window(1, 1, 1);
  EXPECT_THROW(convert(t3, MatrixKind::t4), Error);
  EXPECT_THROW(convert(t3, MatrixKind::s2), Error);
  EXPECT_THROW(convert(t3, MatrixKind::c2), Error) << "no pair";
  EXPECT_THROW(convert(t3, MatrixKind::c3, ChannelPair::pp1), Error);
  auto c2 = make_window(MatrixKind::c2, ChannelPair::pp1, 1, 1);
  EXPECT_THROW(convert(c2, MatrixKind::t3), Error);
  EXPECT_THROW(convert(c2, MatrixKind::c2, ChannelPair::pp2), Error);
  EXPECT_NO_THROW(convert(c2, MatrixKind::c2, ChannelPair::pp1));
}

TEST(Multilook, IsTheMeanOfTheValidPixelsOfACell) {
  MatrixWindow window = test::random_window(7, 11, 3);
  for (std::size_t i = 0; i < window.pixels(); i += 4) window.plane(i % 9)[i] = NAN;
  for (const std::size_t i : {0U, 1U, 2U, 11U, 12U, 13U}) window.plane(0)[i] = NAN;
  audit(window);
  const MatrixWindow looked = multilook(window, 2, 3);
  ASSERT_EQ(looked.rows, 3);
  ASSERT_EQ(looked.cols, 3);
  EXPECT_EQ(looked.valid[0], 0) << "a cell without a valid pixel";
  for (int cell = 0; cell < 9; ++cell) {
    for (std::size_t e = 0; e < 9; ++e) {
      double sum = 0.0;
      int count = 0;
      for (int k = 0; k < 6; ++k) {
        const int row = cell / 3 * 2 + k / 3, col = cell % 3 * 3 + k % 3;
        const auto i = static_cast<std::size_t>(row * 11 + col);
        if (window.valid[i] == 0) continue;
        sum += static_cast<double>(window.plane(e)[i]);
        ++count;
      }
      const auto found = static_cast<double>(looked.plane(e)[static_cast<std::size_t>(cell)]);
      EXPECT_NEAR(found, count > 0 ? sum / count : 0.0, 1e-6 * (1.0 + std::abs(found)));
      EXPECT_EQ(looked.valid[static_cast<std::size_t>(cell)], count > 0);
    }
  }
}

TEST(Multilook, RefusesAmplitudesAndEmptyCells) {
  EXPECT_THROW(multilook(make_window(MatrixKind::s2, ChannelPair::none, 4, 4), 2, 2), Error);
  EXPECT_THROW(multilook(test::random_window(4, 4, 1), 0, 2), Error);
}

}  // namespace
}  // namespace oida
