// Each Winograd kernel against the plain sum in double, on shapes that 4 divides and does not.
//
// Comparisons do not hang on decisions: relu and maximum are continuous, the place that a pool took
// is checked by the value found there, and the ways back get their masks and places from outside.

#include "engine/onednn/winograd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include <gtest/gtest.h>

#include "core/aligned.hpp"
#include "core/rng.hpp"
#include "engine/onednn/winograd_choice.hpp"

namespace oida::onednn {
namespace {

using Floats = AlignedVector<float>;
using Doubles = std::vector<double>;

/// Rounding of F(4x4, 3x3) in float32 against values of size 1: ten times that of a plain sum.
constexpr double kTolerance = 2e-5;

struct Sizes {
  int height, width, in, used, out, pad;
};

void PrintTo(const Sizes& s, std::ostream* out) {
  *out << s.height << "x" << s.width << " " << s.in << "(" << s.used << ") to " << s.out << " pad "
       << s.pad;
}

class Winograd : public testing::TestWithParam<std::tuple<Sizes, int>> {
 protected:
  void SetUp() override {
    if (!winograd_runs_here()) GTEST_SKIP() << "this CPU has no AVX-512, or it is switched off";
    const auto& [sizes, threads] = GetParam();
    shape_ = {3, sizes.height, sizes.width, sizes.in, sizes.used, sizes.out, sizes.pad, threads};
    out_height_ = sizes.height + 2 * sizes.pad - 2;
    out_width_ = sizes.width + 2 * sizes.pad - 2;
    source_ = random_image(sizes.height, sizes.width, sizes.in, sizes.used, 1);
    diff_ = random_image(out_height_, out_width_, sizes.out, sizes.out, 2);
    weight_ = random_values(static_cast<std::size_t>(9 * sizes.in * sizes.out), 3);
    const float scale = 1.0F / std::sqrt(9.0F * static_cast<float>(sizes.used));
    for (float& weight : weight_) weight *= scale;
    bias_ = random_values(static_cast<std::size_t>(sizes.out), 4);
  }

  static Floats random_values(std::size_t size, std::uint64_t seed) {
    Random random(seed, Purpose::test);
    Floats values(size);
    for (float& value : values) value = 2.0F * random.uniform() - 1.0F;
    return values;
  }

  Floats random_image(int height, int width, int channels, int used, std::uint64_t seed) const {
    Floats image =
        random_values(static_cast<std::size_t>(shape_.samples * height * width * channels), seed);
    for (std::size_t i = 0; i < image.size(); ++i) {
      if (static_cast<int>(i) % channels >= used) image[i] = 0.0F;
    }
    return image;
  }

  static std::size_t at(int n, int y, int x, int c, int height, int width, int channels) {
    return static_cast<std::size_t>(((n * height + y) * width + x) * channels + c);
  }

  /// visit(source value, weight, output value) for every product of the convolution, as indices.
  template <typename Visit>
  void each_product(const Visit& visit) const {
    for (int n = 0; n < shape_.samples; ++n) {
      for (int y = 0; y < out_height_; ++y) {
        for (int x = 0; x < out_width_; ++x) each_tap(n, y, x, visit);
      }
    }
  }

  template <typename Visit>
  void each_tap(int n, int y, int x, const Visit& visit) const {
    for (int tap = 0; tap < 9; ++tap) {
      const int in_y = y - shape_.pad + tap / 3;
      const int in_x = x - shape_.pad + tap % 3;
      if (in_y < 0 || in_x < 0 || in_y >= shape_.height || in_x >= shape_.width) continue;
      for (int i = 0; i < shape_.in; ++i) {
        const std::size_t from = at(n, in_y, in_x, i, shape_.height, shape_.width, shape_.in);
        const std::size_t to = at(n, y, x, 0, out_height_, out_width_, shape_.out);
        const auto row = static_cast<std::size_t>((tap * shape_.in + i) * shape_.out);
        for (std::size_t o = 0; o < static_cast<std::size_t>(shape_.out); ++o) {
          visit(from, row + o, to + o);
        }
      }
    }
  }

  Doubles plain_convolution() const {
    Doubles output(diff_.size());
    each_product([&](std::size_t from, std::size_t weight, std::size_t to) {
      output[to] += static_cast<double>(source_[from]) * static_cast<double>(weight_[weight]);
    });
    return output;
  }

  Floats convolve(const WinogradShape& shape, const WinogradSource& source, const Floats& filter,
                  const WinogradFinish& finish, std::size_t size) const {
    Floats scratch(winograd_scratch_size(shape), std::nanf(""));
    Floats destination(size, std::nanf(""));
    winograd_convolve(shape, source, filter.data(), finish, destination.data(), scratch.data());
    return destination;
  }

  Floats forward(const WinogradFinish& finish, std::size_t size) const {
    Floats filter(winograd_filter_size(shape_), std::nanf(""));
    winograd_filter(shape_, weight_.data(), filter.data());
    return convolve(shape_, {source_.data(), nullptr}, filter, finish, size);
  }

  /// The way back as a convolution of the output's gradient.
  WinogradShape back_shape() const {
    return {shape_.samples, out_height_, out_width_,     shape_.out,
            shape_.out,     shape_.in,   2 - shape_.pad, shape_.threads};
  }

  Floats backward(const WinogradSource& diff, const float* positive) const {
    Floats filter(winograd_filter_size(shape_), std::nanf(""));
    winograd_filter_back(back_shape(), weight_.data(), filter.data());
    return convolve(back_shape(), diff, filter, {nullptr, kNoFloor, positive, nullptr},
                    source_.size());
  }

  Doubles plain_backward(const Floats& diff) const {
    Doubles result(source_.size());
    each_product([&](std::size_t from, std::size_t weight, std::size_t to) {
      result[from] += static_cast<double>(diff[to]) * static_cast<double>(weight_[weight]);
    });
    return result;
  }

  /// A gradient that comes back through a 2x2 pool: pooled values, places, and the same spread out.
  struct Pooled {
    Floats values;
    std::vector<std::uint8_t> taken;
    Floats spread;
  };

  Pooled pooled_diff() const {
    const int rows = out_height_ / 2;
    const int columns = out_width_ / 2;
    Pooled pooled{random_image(rows, columns, shape_.out, shape_.out, 5), {}, {}};
    pooled.taken.resize(pooled.values.size());
    pooled.spread.assign(diff_.size(), 0.0F);
    Random random(6, Purpose::test);
    for (std::size_t i = 0; i < pooled.taken.size(); ++i) {
      const int index = static_cast<int>(i);
      const int pixel = index / shape_.out;
      const int place = static_cast<int>(random.below(4));
      pooled.taken[i] = static_cast<std::uint8_t>(place);
      pooled.spread[at(pixel / columns / rows, pixel / columns % rows * 2 + place / 2,
                       pixel % columns * 2 + place % 2, index % shape_.out, out_height_, out_width_,
                       shape_.out)] = pooled.values[i];
    }
    return pooled;
  }

  static void expect_near(const Floats& got, const Doubles& expected, double tolerance) {
    ASSERT_EQ(got.size(), expected.size());
    double worst = 0.0;
    double size = 0.0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_FALSE(std::isnan(got[i])) << i;
      worst = std::max(worst, std::abs(static_cast<double>(got[i]) - expected[i]));
      size = std::max(size, std::abs(expected[i]));
    }
    EXPECT_LT(worst, tolerance * size);
  }

  void check_gradient(const WinogradSource& diff, const Floats& spread) const {
    check_gradient({source_.data(), nullptr}, diff, spread);
  }

  void check_gradient(const WinogradSource& source, const WinogradSource& diff,
                      const Floats& spread) const {
    Floats scratch(winograd_gradient_scratch_size(shape_), std::nanf(""));
    Floats weight(weight_.size(), std::nanf(""));
    Floats bias(bias_.size(), std::nanf(""));
    winograd_gradient(shape_, source, diff, weight.data(), bias.data(), scratch.data());
    Doubles expected(weight.size());
    each_product([&](std::size_t from, std::size_t w, std::size_t to) {
      expected[w] += static_cast<double>(source_[from]) * static_cast<double>(spread[to]);
    });
    expect_near(weight, expected, kTolerance);
    Doubles sums(bias.size());
    for (std::size_t i = 0; i < spread.size(); ++i) {
      sums[i % sums.size()] += static_cast<double>(spread[i]);
    }
    expect_near(bias, sums, kTolerance);
  }

  /// Channels [first, first + count) of every pixel of an image like the source.
  Floats channels_of(const Floats& image, int first, int count) const {
    Floats part;
    for (std::size_t i = 0; i < image.size(); ++i) {
      const int c = static_cast<int>(i) % shape_.in;
      if (c >= first && c < first + count) part.push_back(image[i]);
    }
    return part;
  }

  static constexpr int kSplit = 16;

  static constexpr float kNoFloor = -std::numeric_limits<float>::infinity();

  WinogradShape shape_;
  int out_height_ = 0, out_width_ = 0;
  Floats source_, diff_, weight_, bias_;
};

TEST_P(Winograd, ForwardWithBias) {
  Doubles expected = plain_convolution();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] += static_cast<double>(bias_[i % bias_.size()]);
  }
  expect_near(forward({bias_.data(), kNoFloor, nullptr, nullptr}, diff_.size()), expected,
              kTolerance);
}

TEST_P(Winograd, ForwardWithBiasAndRelu) {
  Doubles expected = plain_convolution();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = std::max(0.0, expected[i] + static_cast<double>(bias_[i % bias_.size()]));
  }
  expect_near(forward({bias_.data(), 0.0F, nullptr, nullptr}, diff_.size()), expected, kTolerance);
}

TEST_P(Winograd, ForwardWithBiasReluAndPool) {
  if (out_height_ < 2 || out_width_ < 2) return;
  const Doubles plain = plain_convolution();
  Pooled pooled = pooled_diff();
  std::ranges::fill(pooled.taken, std::uint8_t{99});
  const Floats got =
      forward({bias_.data(), 0.0F, nullptr, pooled.taken.data()}, pooled.values.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const int c = static_cast<int>(i) % shape_.out;
    const int pixel = static_cast<int>(i) / shape_.out;
    const int columns = out_width_ / 2;
    const int rows = out_height_ / 2;
    const auto value = [&](int place) {
      return plain[at(pixel / columns / rows, pixel / columns % rows * 2 + place / 2,
                      pixel % columns * 2 + place % 2, c, out_height_, out_width_, shape_.out)];
    };
    const double largest = std::max({value(0), value(1), value(2), value(3)});
    const auto bias = static_cast<double>(bias_[static_cast<std::size_t>(c)]);
    ASSERT_NEAR(static_cast<double>(got[i]), std::max(0.0, largest + bias), kTolerance);
    ASSERT_LT(pooled.taken[i], 4);
    ASSERT_NEAR(value(pooled.taken[i]), largest, kTolerance);
  }
}

TEST_P(Winograd, ForwardKeepsWhatItPools) {
  if (out_height_ < 2 || out_width_ < 2) return;
  Pooled pooled = pooled_diff();
  Floats whole(diff_.size(), std::nanf(""));
  WinogradFinish finish{bias_.data(), 0.0F, nullptr, pooled.taken.data()};
  const Floats alone = forward(finish, pooled.values.size());
  finish.whole = whole.data();
  EXPECT_EQ(forward(finish, pooled.values.size()), alone);
  EXPECT_EQ(whole, forward({bias_.data(), 0.0F, nullptr, nullptr}, diff_.size()));
}

TEST_P(Winograd, BackwardThroughAPoolAndBesideIt) {
  if (out_height_ < 2 || out_width_ < 2) return;
  const Pooled pooled = pooled_diff();
  WinogradSource source{pooled.values.data(), pooled.taken.data()};
  source.added = diff_.data();
  Floats both = diff_;
  for (std::size_t i = 0; i < both.size(); ++i) both[i] += pooled.spread[i];
  expect_near(backward(source, nullptr), plain_backward(both), kTolerance);
  check_gradient(source, both);
}

TEST_P(Winograd, BackwardData) {
  expect_near(backward({diff_.data(), nullptr}, nullptr), plain_backward(diff_), kTolerance);
}

TEST_P(Winograd, BackwardDataMaskedByTheReluBefore) {
  const Floats positive = random_values(source_.size(), 7);
  Doubles expected = plain_backward(diff_);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (positive[i] <= 0.0F) expected[i] = 0.0;
  }
  expect_near(backward({diff_.data(), nullptr}, positive.data()), expected, kTolerance);
}

TEST_P(Winograd, BackwardDataThroughAPool) {
  if (out_height_ < 2 || out_width_ < 2) return;
  const Pooled pooled = pooled_diff();
  expect_near(backward({pooled.values.data(), pooled.taken.data()}, nullptr),
              plain_backward(pooled.spread), kTolerance);
}

TEST_P(Winograd, ForwardFromTwoImages) {
  if (shape_.in <= kSplit) return;
  const Floats first = channels_of(source_, 0, kSplit);
  const Floats second = channels_of(source_, kSplit, shape_.in - kSplit);
  Floats filter(winograd_filter_size(shape_), std::nanf(""));
  winograd_filter(shape_, weight_.data(), filter.data());
  const WinogradFinish finish{bias_.data(), kNoFloor, nullptr, nullptr};
  EXPECT_EQ(convolve(shape_, {first.data(), nullptr, second.data(), kSplit}, filter, finish,
                     diff_.size()),
            convolve(shape_, {source_.data(), nullptr}, filter, finish, diff_.size()));
}

TEST_P(Winograd, BackwardDataIntoTwoImagesEachWithItsMask) {
  if (shape_.in <= kSplit) return;
  const Floats positive = random_values(source_.size(), 7);
  const Floats whole = backward({diff_.data(), nullptr}, positive.data());
  const Floats free = backward({diff_.data(), nullptr}, nullptr);
  const Floats mask = channels_of(positive, kSplit, shape_.in - kSplit);
  Floats second(mask.size(), std::nanf(""));
  Floats filter(winograd_filter_size(shape_), std::nanf(""));
  winograd_filter_back(back_shape(), weight_.data(), filter.data());
  WinogradFinish finish{nullptr, kNoFloor, nullptr, nullptr};
  finish.rest = {second.data(), mask.data(), kSplit};
  const Floats first = convolve(back_shape(), {diff_.data(), nullptr}, filter, finish,
                                source_.size() - second.size());
  EXPECT_EQ(first, channels_of(free, 0, kSplit));
  EXPECT_EQ(second, channels_of(whole, kSplit, shape_.in - kSplit));
}

TEST_P(Winograd, BackwardWeightsFromTwoImages) {
  if (shape_.in <= kSplit) return;
  const Floats first = channels_of(source_, 0, kSplit);
  const Floats second = channels_of(source_, kSplit, shape_.in - kSplit);
  check_gradient({first.data(), nullptr, second.data(), kSplit}, {diff_.data(), nullptr}, diff_);
}

TEST_P(Winograd, BackwardWeights) {
  check_gradient({diff_.data(), nullptr}, diff_);
}

TEST_P(Winograd, BackwardWeightsThroughAPool) {
  if (out_height_ < 2 || out_width_ < 2) return;
  const Pooled pooled = pooled_diff();
  check_gradient({pooled.values.data(), pooled.taken.data()}, pooled.spread);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Winograd,
    testing::Combine(testing::Values(Sizes{16, 16, 16, 9, 32, 1}, Sizes{15, 15, 32, 32, 32, 1},
                                     Sizes{7, 9, 32, 32, 64, 1}, Sizes{8, 8, 64, 64, 128, 1},
                                     Sizes{5, 6, 48, 48, 16, 0}, Sizes{3, 3, 16, 16, 48, 1},
                                     Sizes{1, 2, 16, 16, 16, 1}, Sizes{10, 4, 16, 5, 64, 2},
                                     Sizes{3, 4, 64, 64, 96, 0}),
                     testing::Values(1, 2)));

}  // namespace
}  // namespace oida::onednn
