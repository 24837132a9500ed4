// Each rule is followed in double by a plain loop over one element.

#include "nn/optimizer.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/rng.hpp"

namespace oida {
namespace {

constexpr float kRate = 0.05F;
constexpr int kSteps = 11;

AlignedVector<float> random_values(std::size_t size, std::uint64_t sample) {
  Random random(3, Purpose::test, sample);
  AlignedVector<float> values(size);
  for (auto& value : values) value = 2.0F * random.uniform() - 1.0F;
  return values;
}

/// One element under `rule(x, g, step)` for kSteps steps.
template <typename Rule>
double follow(std::size_t i, const AlignedVector<float>& start, Rule rule) {
  double x = start[i];
  for (int step = 0; step < kSteps; ++step) {
    x = rule(x, random_values(start.size(), static_cast<std::uint64_t>(step) + 1)[i], step);
  }
  return x;
}

AlignedVector<float> run(Optimizer& optimizer, const AlignedVector<float>& start) {
  AlignedVector<float> x = start;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    optimizer.update(x, random_values(x.size(), step + 1), kRate, step);
  }
  return x;
}

TEST(Optimizer, SgdFollowsMomentumAndDecay) {
  const auto start = random_values(37, 0);
  Optimizer optimizer({.momentum = 0.8F, .weight_decay = 0.02F}, start.size());
  ASSERT_EQ(optimizer.slots(), 1U);
  const auto x = run(optimizer, start);
  for (std::size_t i = 0; i < x.size(); ++i) {
    double v = 0.0;
    const double expected = follow(i, start, [&](double at, double g, int) {
      v = 0.8 * v + g + 0.02 * at;
      return at - 0.05 * v;
    });
    EXPECT_NEAR(x[i], expected, 1e-6);
    EXPECT_NEAR(optimizer.slot(0)[i], v, 1e-6);
  }
}

TEST(Optimizer, AdagradWindowForgetsAllButTwoWindows) {
  const auto start = random_values(37, 0);
  Optimizer optimizer({.kind = OptimizerOptions::Kind::adagrad_window,
                       .weight_decay = 0.02F,
                       .window = 4,
                       .epsilon = 1e-3F},
                      start.size());
  ASSERT_EQ(optimizer.slots(), 2U);
  const auto x = run(optimizer, start);
  for (std::size_t i = 0; i < x.size(); ++i) {
    double square[kSteps];
    const double expected = follow(i, start, [&](double at, double g, int step) {
      const double slope = g + 0.02 * at;
      square[step] = slope * slope;
      double sum = 0.0;
      for (int s = std::max(0, step / 4 * 4 - 4); s <= step; ++s) sum += square[s];
      return at - 0.05 * slope / (std::sqrt(sum) + 1e-3);
    });
    EXPECT_NEAR(x[i], expected, 1e-6);
    EXPECT_NEAR(optimizer.slot(0)[i], square[8] + square[9] + square[10], 1e-6);
    EXPECT_NEAR(optimizer.slot(1)[i], square[4] + square[5] + square[6] + square[7], 1e-6);
  }
}

TEST(Optimizer, PaddingOfZerosStaysZero) {
  using Kind = OptimizerOptions::Kind;
  for (const auto kind : {Kind::sgd, Kind::adagrad_window}) {
    Optimizer optimizer({.kind = kind, .weight_decay = 0.1F, .window = 2}, 3);
    AlignedVector<float> x{1.0F, 0.0F, 1.0F};
    const AlignedVector<float> g{1.0F, 0.0F, 1.0F};
    for (std::uint64_t step = 0; step < 5; ++step) optimizer.update(x, g, kRate, step);
    EXPECT_EQ(x[1], 0.0F);
    EXPECT_LT(x[0], 1.0F);
  }
}

TEST(Optimizer, LargeArraysMoveLikeSmallOnes) {
  const std::size_t size = 100003;
  const auto start = random_values(size, 0);
  Optimizer whole({}, size);
  Optimizer part({}, 19);
  const auto x = run(whole, start);
  AlignedVector<float> tail(start.end() - 19, start.end());
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    const auto g = random_values(size, step + 1);
    part.update(tail, std::span(g).last(19), kRate, step);
  }
  for (std::size_t i = 0; i < 19; ++i) EXPECT_NEAR(x[size - 19 + i], tail[i], 1e-6);
}

TEST(Optimizer, ResetForgets) {
  const auto start = random_values(37, 0);
  Optimizer optimizer({}, start.size());
  const auto first = run(optimizer, start);
  EXPECT_NE(run(optimizer, start), first);
  optimizer.reset();
  EXPECT_EQ(run(optimizer, start), first);
}

TEST(Optimizer, RefusesWhatItCannotDo) {
  EXPECT_EQ(optimizer_kind("sgd"), OptimizerOptions::Kind::sgd);
  EXPECT_EQ(optimizer_kind("adagrad_window"), OptimizerOptions::Kind::adagrad_window);
  EXPECT_THROW(optimizer_kind("adam"), InputError);
  EXPECT_THROW(Optimizer({.momentum = 1.0F}, 3), InputError);
  EXPECT_THROW(Optimizer({.weight_decay = -1.0F}, 3), InputError);
  EXPECT_THROW(Optimizer({.window = 0}, 3), InputError);
  EXPECT_THROW(Optimizer({.epsilon = 0.0F}, 3), InputError);
  Optimizer optimizer({}, 3);
  AlignedVector<float> two(2);
  EXPECT_THROW(optimizer.update(two, two, kRate, 0), Error);
}

}  // namespace
}  // namespace oida
