#include "core/rng.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

namespace oida {
namespace {

using Words4 = std::array<std::uint32_t, 4>;
using Words2 = std::array<std::uint32_t, 2>;

/// Philox4x32-10 as in Salmon et al., SC'11, figure 2 and table 2, written plainly.
Words4 philox(Words4 counter, Words2 key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = 0xD2511F53ULL * counter[0];
    const std::uint64_t b = 0xCD9E8D57ULL * counter[2];
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    counter = {high(b) ^ counter[1] ^ key[0], low(b), high(a) ^ counter[3] ^ key[1], low(a)};
    key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
  }
  return counter;
}

// Known answers of the Random123 distribution (kat_vectors, philox4x32 10).
TEST(Rng, PlainPhiloxGivesTheKnownAnswers) {
  constexpr std::uint32_t kOnes = 0xffffffffU;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (Words4{0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U}));
  EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Words4{0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU}));
  EXPECT_EQ(
      philox({0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U}, {0xa4093822U, 0x299f31d0U}),
      (Words4{0xd16cfe09U, 0x94fdccebU, 0x5001e420U, 0x24126ea1U}));
}

TEST(Rng, StreamIsPhiloxOverItsName) {
  const std::uint64_t seed = 0x1122334455667788ULL;
  const std::uint64_t sample = 0x99aabbccddeeff00ULL;
  Random random(seed, Purpose::shard, sample, 77);
  const auto purpose = static_cast<std::uint32_t>(Purpose::shard);
  for (std::uint32_t block = 0; block < 3; ++block) {
    const Words4 want =
        philox({block, 0xddeeff00U, 0x99aabbccU, 77}, {0x55667788U, 0x11223344U ^ purpose << 16});
    for (const std::uint32_t word : want) EXPECT_EQ(random(), word);
  }
}

TEST(Rng, EveryPartOfTheNameMatters) {
  const auto first = [](Random random) { return random(); };
  const auto base = first(Random(1, Purpose::split, 2, 3));
  EXPECT_NE(base, first(Random(2, Purpose::split, 2, 3)));
  EXPECT_NE(base, first(Random(1, Purpose::limit, 2, 3)));
  EXPECT_NE(base, first(Random(1, Purpose::split, 3, 3)));
  EXPECT_NE(base, first(Random(1, Purpose::split, 2, 4)));
}

// Moments of the uniform and the normal distribution; limits of five standard errors.
TEST(Rng, UniformHasTheMomentsOfTheUnitInterval) {
  Random random(5, Purpose::test);
  constexpr int kDraws = 100000;
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = static_cast<double>(random.uniform());
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 5.0 * std::sqrt(1.0 / 12.0 / kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0 / 3.0, 5.0 * std::sqrt(4.0 / 45.0 / kDraws));
}

TEST(Rng, NormalHasTheMomentsOfTheStandardNormal) {
  Random random(6, Purpose::test);
  constexpr int kDraws = 100000;
  std::array<double, 5> moment{};
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.normal();
    double power = 1.0;
    for (double& m : moment) {
      m += power / kDraws;
      power *= x;
    }
  }
  EXPECT_NEAR(moment[1], 0.0, 5.0 * std::sqrt(1.0 / kDraws));
  EXPECT_NEAR(moment[2], 1.0, 5.0 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(moment[3], 0.0, 5.0 * std::sqrt(15.0 / kDraws));
  EXPECT_NEAR(moment[4], 3.0, 5.0 * std::sqrt(96.0 / kDraws));
}

TEST(Rng, BelowIsUniformAndNeverReachesTheBound) {
  Random random(7, Purpose::test);
  constexpr std::uint32_t kBound = 7;
  constexpr int kDraws = 70000;
  std::array<int, kBound> hits{};
  for (int i = 0; i < kDraws; ++i) ++hits.at(random.below(kBound));
  double chi_squared = 0.0;
  for (const int hit : hits) chi_squared += std::pow(hit - 10000.0, 2) / 10000.0;
  EXPECT_LT(chi_squared, 22.5);  // 0.999 quantile at 6 degrees of freedom
  EXPECT_EQ(random.below(1), 0U);
}

TEST(Rng, PermutationHoldsEveryNumberOnce) {
  for (const std::size_t n : {0U, 1U, 2U, 1001U}) {
    auto order = permutation(n, Random(1, Purpose::test));
    std::vector<std::uint32_t> in_place(n, 9);
    permute(in_place, Random(1, Purpose::test));
    EXPECT_EQ(order, in_place);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(order[i], i);
  }
}

TEST(Rng, AllPermutationsAreEquallyLikely) {
  std::map<std::vector<std::uint32_t>, int> hits;
  constexpr int kDraws = 24000;
  for (std::uint64_t i = 0; i < kDraws; ++i) ++hits[permutation(4, Random(3, Purpose::test, i))];
  ASSERT_EQ(hits.size(), 24U);
  double chi_squared = 0.0;
  for (const auto& [order, hit] : hits) chi_squared += std::pow(hit - 1000.0, 2) / 1000.0;
  EXPECT_LT(chi_squared, 49.7);  // 0.999 quantile at 23 degrees of freedom
}

}  // namespace
}  // namespace oida
