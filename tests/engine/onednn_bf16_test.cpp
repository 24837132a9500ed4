// The bfloat16 kernels against plain loops, at lengths that no vector divides.

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/rng.hpp"
#include "engine/onednn/bf16_avx512.hpp"
#include "engine/onednn/winograd_choice.hpp"

namespace oida::onednn {
namespace {

using Bits = std::vector<std::uint16_t>;

/// The value of a bfloat16: a float32 whose lower half is zero.
float value_of(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16U;
  float value = 0.0F;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

class Bf16Kernels : public testing::Test {
 protected:
  void SetUp() override {
    if (!winograd_runs_here()) GTEST_SKIP() << "this CPU has no AVX-512, or it is switched off";
  }
};

/// Every bit pattern but NaN, in random order.
Bits random_bits(std::size_t size, std::uint64_t seed) {
  Random random(seed, Purpose::test);
  Bits bits(size);
  for (auto& value : bits) {
    do {
      value = static_cast<std::uint16_t>(random.below(0x10000));
    } while (std::isnan(value_of(value)));
  }
  return bits;
}

/// Nearest of the two neighbours in double, the even one on a tie: IEEE 754, 4.3.1.
TEST_F(Bf16Kernels, NarrowRoundsToNearestEven) {
  std::vector<float> values{0.0F,        -0.0F,        1.0F,  1.00390625F,
                            1.01171875F, -1.00390625F, 3e38F, 1e-40F};
  Random random(1, Purpose::test);
  for (int i = 0; i < 1000; ++i) values.push_back(static_cast<float>(random.normal()));
  const std::vector<std::uint16_t> expected_first{0x0000, 0x8000, 0x3f80, 0x3f80, 0x3f82, 0xbf80};
  Bits rounded(values.size());
  narrow_bf16(values.data(), values.size(), rounded.data());
  for (std::size_t i = 0; i < expected_first.size(); ++i) EXPECT_EQ(rounded[i], expected_first[i]);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double error = std::abs(static_cast<double>(value_of(rounded[i])) - values[i]);
    for (const int step : {-1, 1}) {
      const float other = value_of(static_cast<std::uint16_t>(rounded[i] + step));
      if (std::isfinite(other)) {
        EXPECT_LE(error, std::abs(static_cast<double>(other) - values[i])) << values[i];
      }
    }
  }
}

TEST_F(Bf16Kernels, NarrowKeepsInfinityAndNan) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values{infinity, -infinity, std::nanf("")};
  Bits rounded(3);
  narrow_bf16(values.data(), 3, rounded.data());
  EXPECT_EQ(value_of(rounded[0]), infinity);
  EXPECT_EQ(value_of(rounded[1]), -infinity);
  EXPECT_TRUE(std::isnan(value_of(rounded[2])));
}

TEST_F(Bf16Kernels, MaskOpensWherePositive) {
  for (const std::size_t size : {1U, 31U, 32U, 77U}) {
    Bits values = random_bits(size, 2);
    values[0] = 0x7fc0;  // NaN
    const Bits before = random_bits(size + 1, 3);
    Bits diff = before;
    mask_bf16(values.data(), size, diff.data());
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_EQ(diff[i], value_of(values[i]) > 0.0F ? before[i] : 0) << i;
    }
    EXPECT_EQ(diff[size], before[size]) << "beyond the end";
  }
}

TEST_F(Bf16Kernels, HalveTakesTheFirstLargestAndSpreadGivesItBack) {
  constexpr int kColumns = 5;
  constexpr int kChannels = 48;
  constexpr int kRow = (2 * kColumns + 1) * kChannels;
  Bits image = random_bits(2 * kRow, 4);
  for (std::size_t i = 0; i < 200; ++i) image[i * 5] = 0x3f80;  // ties
  Bits largest(kColumns * kChannels);
  std::vector<std::uint8_t> taken(largest.size(), 99);
  halve_row_bf16(image.data(), kRow, kColumns, kChannels, largest.data(), taken.data());
  Bits back(image.size(), 0x1234);
  spread_row_bf16(largest.data(), taken.data(), kColumns, kChannels, back.data(), kRow);
  for (int i = 0; i < kColumns * kChannels; ++i) {
    const int first = i / kChannels * 2 * kChannels + i % kChannels;
    int place = 0;
    const auto at = [&](int p) {
      return static_cast<std::size_t>(first + p / 2 * kRow + p % 2 * kChannels);
    };
    for (int p = 1; p < 4; ++p) {
      if (value_of(image[at(p)]) > value_of(image[at(place)])) place = p;
    }
    const auto out = static_cast<std::size_t>(i);
    EXPECT_EQ(taken[out], place);
    EXPECT_EQ(largest[out], image[at(place)]);
    for (int p = 0; p < 4; ++p) EXPECT_EQ(back[at(p)], p == place ? largest[out] : 0);
  }
}

}  // namespace
}  // namespace oida::onednn
