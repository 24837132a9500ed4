// The kernels of transposed convolutions without overlap against the plain sum in double.

#include "engine/onednn/spread_conv.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <gtest/gtest.h>

#include "core/aligned.hpp"
#include "core/rng.hpp"
#include "engine/onednn/winograd_choice.hpp"

namespace oida::onednn {
namespace {

using Floats = AlignedVector<float>;

constexpr double kTolerance = 2e-6;

struct Sizes {
  int height, width, in, out, side;
};

void PrintTo(const Sizes& s, std::ostream* out) {
  *out << s.height << "x" << s.width << " " << s.in << " to " << s.out << " side " << s.side;
}

class SpreadConv : public testing::TestWithParam<std::tuple<Sizes, int>> {
 protected:
  void SetUp() override {
    if (!winograd_runs_here()) GTEST_SKIP() << "this CPU has no AVX-512, or it is switched off";
    const auto& [sizes, threads] = GetParam();
    shape_ = {3, sizes.height, sizes.width, sizes.in, sizes.out, sizes.side, threads};
    const int pixels = 3 * sizes.height * sizes.width;
    source_ = random_values(pixels * sizes.in, 1);
    weight_ = random_values(sizes.side * sizes.side * sizes.in * sizes.out, 2);
    bias_ = random_values(sizes.out, 3);
    diff_ = random_values(pixels * sizes.side * sizes.side * sizes.out, 4);
  }

  static Floats random_values(int size, std::uint64_t seed) {
    Random random(seed, Purpose::test);
    Floats values(static_cast<std::size_t>(size));
    for (float& value : values) value = 2.0F * random.uniform() - 1.0F;
    return values;
  }

  /// visit(source value, weight, output value) for every product, as indices.
  template <typename Visit>
  void each_product(const Visit& visit) const {
    const auto& s = shape_;
    for (int pixel = 0; pixel < s.samples * s.height * s.width; ++pixel) {
      const int row = pixel / s.width;
      const int x = pixel % s.width;
      for (int tap = 0; tap < s.side * s.side; ++tap) {
        const int ky = tap / s.side;
        const int kx = tap % s.side;
        const int to = ((row * s.side + ky) * s.width * s.side + x * s.side + kx) * s.out;
        for (int c = 0; c < s.in; ++c) {
          const int weight = ((ky * s.in + c) * s.side + kx) * s.out;
          for (int o = 0; o < s.out; ++o) visit(pixel * s.in + c, weight + o, to + o);
        }
      }
    }
  }

  static void expect_near(const Floats& got, const std::vector<double>& expected) {
    ASSERT_EQ(got.size(), expected.size());
    double worst = 0.0;
    double size = 0.0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_FALSE(std::isnan(got[i])) << i;
      worst = std::max(worst, std::abs(static_cast<double>(got[i]) - expected[i]));
      size = std::max(size, std::abs(expected[i]));
    }
    EXPECT_LT(worst, kTolerance * size);
  }

  SpreadShape shape_;
  Floats source_, weight_, bias_, diff_;
};

TEST_P(SpreadConv, Forward) {
  Floats scratch(spread_scratch_size(shape_), std::nanf(""));
  Floats got(diff_.size(), std::nanf(""));
  spread_convolve(shape_, source_.data(), weight_.data(), bias_.data(), got.data(), scratch.data());
  std::vector<double> expected(got.size());
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = bias_[i % bias_.size()];
  each_product([&](int from, int weight, int to) {
    expected[static_cast<std::size_t>(to)] +=
        static_cast<double>(source_[static_cast<std::size_t>(from)]) *
        static_cast<double>(weight_[static_cast<std::size_t>(weight)]);
  });
  expect_near(got, expected);
}

TEST_P(SpreadConv, Gradient) {
  Floats scratch(spread_gradient_scratch_size(shape_), std::nanf(""));
  Floats weight(weight_.size(), std::nanf(""));
  Floats bias(bias_.size(), std::nanf(""));
  spread_gradient(shape_, source_.data(), diff_.data(), weight.data(), bias.data(), scratch.data());
  std::vector<double> expected(weight.size());
  each_product([&](int from, int to_weight, int to) {
    expected[static_cast<std::size_t>(to_weight)] +=
        static_cast<double>(source_[static_cast<std::size_t>(from)]) *
        static_cast<double>(diff_[static_cast<std::size_t>(to)]);
  });
  expect_near(weight, expected);
  std::vector<double> sums(bias.size());
  for (std::size_t i = 0; i < diff_.size(); ++i) sums[i % sums.size()] += diff_[i];
  expect_near(bias, sums);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, SpreadConv,
    testing::Combine(testing::Values(Sizes{4, 7, 32, 32, 2}, Sizes{3, 13, 16, 16, 2},
                                     Sizes{2, 5, 48, 16, 3}, Sizes{1, 1, 16, 48, 1},
                                     Sizes{5, 6, 64, 64, 2}),
                     testing::Values(1, 2)));

}  // namespace
}  // namespace oida::onednn
