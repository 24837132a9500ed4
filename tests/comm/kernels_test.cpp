#include "comm/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/rng.hpp"

namespace oida {
namespace {

constexpr std::size_t kSizes[] = {1, 15, 31, 32, 33, 255, 256, 257, 300, 2048, 5003};
constexpr Wire kLossy[] = {Wire::bf16, Wire::int8, Wire::int4};

std::vector<float> values_of(std::size_t size, std::uint32_t which) {
  std::vector<float> values(size);
  Random random(3, Purpose::test, which);
  for (float& value : values) {
    value = static_cast<float>(random.normal()) * std::ldexp(1.0F, static_cast<int>(which) - 9);
  }
  return values;
}

float float_at(const std::vector<std::byte>& bytes, std::size_t at) {
  float value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// The level of value i as wire.hpp lays it out.
int level_at(Wire wire, const std::vector<std::byte>& bytes, std::size_t size, std::size_t i) {
  const std::size_t payload = (size + 255) / 256 * 4;
  if (wire == Wire::int8) return static_cast<std::int8_t>(bytes[payload + i]);
  const int both = static_cast<int>(bytes[payload + i / 32 * 16 + i % 16]);
  const int nibble = i % 32 < 16 ? both % 16 : both / 16;
  return nibble < 8 ? nibble : nibble - 16;
}

/// Plainly, in double: the level nearest to what is sent, and what is left of it.
void expect_levels(Wire wire, const std::vector<float>& values, const std::vector<float>& left,
                   const std::vector<float>& left_after, const std::vector<std::byte>& bytes) {
  const double levels = wire == Wire::int8 ? 127 : 7;
  for (std::size_t begin = 0; begin < values.size(); begin += 256) {
    const std::size_t end = std::min(values.size(), begin + 256);
    double most = 0;
    for (std::size_t i = begin; i < end; ++i) {
      most = std::max(most, std::abs(double{values[i]} + double{left[i]}));
    }
    const double scale = most / levels;
    ASSERT_NEAR(float_at(bytes, begin / 256 * 4), scale, 1e-6 * scale);
    for (std::size_t i = begin; i < end; ++i) {
      const double sent = double{values[i]} + double{left[i]};
      const int level = level_at(wire, bytes, values.size(), i);
      ASSERT_LE(std::abs(level), levels);
      ASSERT_LE(std::abs(sent / scale - level), 0.5 + 1e-4) << i;
      ASSERT_NEAR(left_after[i], sent - level * scale, 1e-5 * most) << i;
    }
  }
}

class KernelsTest : public ::testing::TestWithParam<const Kernels*> {
 protected:
  const Kernels& kernels() const { return *GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Here, KernelsTest, ::testing::ValuesIn(kernels_here()),
                         [](const auto& here) { return std::string(here.param->name); });

TEST_P(KernelsTest, LevelsAreTheNearest) {
  for (const Wire wire : {Wire::int8, Wire::int4}) {
    for (const std::size_t size : kSizes) {
      const std::vector<float> values = values_of(size, 1);
      const std::vector<float> before = values_of(size, 0);
      std::vector<float> left = before;
      std::vector<std::byte> bytes(wire_bytes(wire, size));
      kernels().encode(wire, values.data(), size, left.data(), bytes.data());
      expect_levels(wire, values, before, left, bytes);
    }
  }
}

TEST_P(KernelsTest, Bf16IsTheNearestEven) {
  const std::vector<float> values{1.0F, 1.00390625F, 1.01171875F, -1.0F / 3.0F, 0.0F, 3e38F};
  const std::vector<float> nearest{1.0F, 1.0F, 1.015625F, -0.333984375F, 0.0F, 0x1.c4p127F};
  std::vector<float> left(values.size());
  std::vector<std::byte> bytes(wire_bytes(Wire::bf16, values.size()));
  std::vector<float> back(values.size());
  kernels().encode(Wire::bf16, values.data(), values.size(), left.data(), bytes.data());
  kernels().decode(Wire::bf16, bytes.data(), values.size(), back.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_FLOAT_EQ(back[i], nearest[i]) << i;
    EXPECT_EQ(left[i], values[i] - back[i]) << i;
  }
}

TEST_P(KernelsTest, SentAndLeftMakeTheWhole) {
  for (const Wire wire : kLossy) {
    for (const std::size_t size : kSizes) {
      const std::vector<float> values = values_of(size, 2);
      std::vector<float> left(size);
      std::vector<std::byte> bytes(wire_bytes(wire, size) + 1, std::byte{0x5a});
      std::vector<float> back(size + 1, 77.0F);
      kernels().encode(wire, values.data(), size, left.data(), bytes.data());
      kernels().decode(wire, bytes.data(), size, back.data());
      EXPECT_EQ(bytes.back(), std::byte{0x5a}) << "written beyond the end";
      EXPECT_EQ(back.back(), 77.0F) << "written beyond the end";
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_NEAR(back[i] + left[i], values[i], 1e-6 * std::abs(values[i]) + 1e-9);
      }
    }
  }
}

TEST_P(KernelsTest, SameBitsAsThePlainOnes) {
  for (const Wire wire : kLossy) {
    const std::size_t size = 5003;
    const std::vector<float> values = values_of(size, 3);
    std::vector<float> left = values_of(size, 1);
    std::vector<float> plain_left = left;
    std::vector<std::byte> bytes(wire_bytes(wire, size));
    std::vector<std::byte> plain_bytes(bytes.size());
    kernels().encode(wire, values.data(), size, left.data(), bytes.data());
    kPlainKernels.encode(wire, values.data(), size, plain_left.data(), plain_bytes.data());
    EXPECT_EQ(bytes, plain_bytes);
    EXPECT_EQ(std::memcmp(left.data(), plain_left.data(), size * sizeof(float)), 0);
    kernels().decode(wire, bytes.data(), size, left.data());
    kPlainKernels.decode(wire, bytes.data(), size, plain_left.data());
    EXPECT_EQ(std::memcmp(left.data(), plain_left.data(), size * sizeof(float)), 0);
  }
}

TEST_P(KernelsTest, WhatIsNotFiniteArrivesAsSuchAndIsNotKept) {
  for (const Wire wire : kLossy) {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
      std::vector<float> values(300, 1.0F);
      values[70] = bad;
      std::vector<float> left(values.size(), 0.25F);
      std::vector<std::byte> bytes(wire_bytes(wire, values.size()));
      kernels().encode(wire, values.data(), values.size(), left.data(), bytes.data());
      kernels().decode(wire, bytes.data(), values.size(), values.data());
      EXPECT_FALSE(std::isfinite(values[70])) << to_string(wire);
      EXPECT_TRUE(std::isfinite(values[299])) << to_string(wire);
      for (const float value : left) ASSERT_TRUE(std::isfinite(value));
    }
  }
}

TEST_P(KernelsTest, ZerosAndWhatIsTooSmallForAScaleAreSentAsZeros) {
  for (const Wire wire : {Wire::int8, Wire::int4}) {
    const std::vector<float> values(256, 1e-38F);
    std::vector<float> left(256);
    std::vector<std::byte> bytes(wire_bytes(wire, 256));
    std::vector<float> back(256, 1.0F);
    kernels().encode(wire, values.data(), 256, left.data(), bytes.data());
    kernels().decode(wire, bytes.data(), 256, back.data());
    EXPECT_EQ(back, std::vector<float>(256));
    EXPECT_EQ(left, values);
  }
}

TEST_P(KernelsTest, AddsUpInOrder) {
  for (std::size_t n = 1; n <= 5; ++n) {
    std::vector<std::vector<float>> parts;
    std::vector<const float*> pointers;
    for (std::uint32_t k = 0; k < n; ++k) parts.push_back(values_of(1300, 4 * k));
    std::vector<float> plain = parts[0];
    for (std::size_t k = 1; k < n; ++k) {
      for (std::size_t i = 0; i < plain.size(); ++i) plain[i] += parts[k][i];
    }
    for (const auto& part : parts) pointers.push_back(part.data());
    std::vector<float> sum(1300);
    kernels().add_up(pointers.data(), n, sum.size(), sum.data());
    EXPECT_EQ(sum, plain) << n;
    kernels().add_up(pointers.data(), n, sum.size(), parts[n - 1].data());
    EXPECT_EQ(parts[n - 1], plain) << n << ", in the place of a part";
  }
}

TEST(WireTest, BytesOfAMillion) {
  EXPECT_EQ(wire_bytes(Wire::fp32, 1 << 20), 4U << 20);
  EXPECT_EQ(wire_bytes(Wire::bf16, 1 << 20), 2U << 20);
  EXPECT_EQ(wire_bytes(Wire::int8, 1 << 20), (1U << 20) + 4096 * 4);
  EXPECT_EQ(wire_bytes(Wire::int4, 1 << 20), (1U << 19) + 4096 * 4);
}

TEST(WireTest, NamesGoThereAndBack) {
  for (const char* name : {"fp32", "bf16", "int8", "int4"})
    EXPECT_EQ(to_string(wire_of(name)), name);
  EXPECT_THROW(wire_of("int2"), Error);
}

}  // namespace
}  // namespace oida
