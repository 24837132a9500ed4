// Sums over nodes on wires that round.

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "comm/comm.hpp"
#include "core/error.hpp"
#include "core/rng.hpp"
#include "exchange_values.hpp"

namespace oida {
namespace {

using testing::brought;
using testing::different_bits;
using testing::world;

constexpr std::size_t kFloats = 20'011;
constexpr std::size_t kWords = 6;

/// Alike in each round, so that errors of rounding would add up: a fixed part and a small one.
std::vector<float> difference(int rank, int round) {
  std::vector<float> values(kFloats);
  Random fixed(11, Purpose::test, static_cast<std::uint64_t>(rank));
  Random changing(12, Purpose::test, static_cast<std::uint64_t>(rank),
                  static_cast<std::uint32_t>(round));
  for (float& value : values) value = fixed.uniform() - 0.5F + 0.1F * changing.uniform();
  return values;
}

/// Of all units; the sum of a float is exact in double to far below what is looked at.
std::vector<double> true_sum(int round) {
  std::vector<double> sum(kFloats);
  for (int r = 0; r < world().size(); ++r) {
    const std::vector<float> part = difference(r, round);
    for (std::size_t i = 0; i < kFloats; ++i) sum[i] += part[i];
  }
  return sum;
}

double levels_of(Wire wire) {
  return wire == Wire::bf16 ? 128.0 : wire == Wire::int8 ? 127.0 : 7.0;
}

struct Case {
  Wire wire;
  int ranks_per_node;
};

class LossyExchangeTest : public ::testing::TestWithParam<Case> {
 protected:
  LossyExchangeTest() {
    options_.wire = GetParam().wire;
    options_.ranks_per_node = GetParam().ranks_per_node;
    options_.floats = kFloats;
    exchange_ = world().make_exchange(options_);
  }

  int nodes() const {
    return (world().size() + options_.ranks_per_node - 1) / options_.ranks_per_node;
  }

  std::vector<float> sum(int round) {
    std::vector<float> values = difference(world().rank(), round);
    exchange_->start(values);
    exchange_->finish();
    return values;
  }

  ExchangeOptions options_;
  std::unique_ptr<Exchange> exchange_;
};

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  return to_string(info.param.wire) + "_" + std::to_string(info.param.ranks_per_node);
}

INSTANTIATE_TEST_SUITE_P(Wires, LossyExchangeTest,
                         ::testing::Values(Case{Wire::bf16, 1}, Case{Wire::int8, 1},
                                           Case{Wire::int8, 2}, Case{Wire::int4, 1},
                                           Case{Wire::int4, 3}),
                         name_of);

// What all got falls short of what was brought by the remainders of now: one rounding of each node
// and one of the owner, not one of each round.
TEST_P(LossyExchangeTest, WhatRoundingLeavesOutComesLater) {
  constexpr int kRounds = 50;
  std::vector<double> short_of(kFloats);
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<float> got = sum(round);
    const std::vector<double> wanted = true_sum(round);
    for (std::size_t i = 0; i < kFloats; ++i) short_of[i] += wanted[i] - got[i];
  }
  // A node's sum is at most 0.6 a rank, and all units together give twice the rounding of one node.
  const double bound = 2.2 * 0.5 * 0.6 * world().size() / levels_of(options_.wire);
  double most = 0;
  double all = 0;
  for (const double value : short_of) {
    most = std::max(most, std::abs(value));
    all += value;
  }
  EXPECT_LE(most, nodes() > 1 ? bound : 1e-4);
  std::vector<double> kept{0.0};
  for (const float value : exchange_->remainder()) kept[0] += value;
  world().sum(kept);
  EXPECT_NEAR(all, kept[0], 0.02);
}

TEST_P(LossyExchangeTest, EveryUnitGetsTheSameBits) {
  for (int round = 0; round < 3; ++round) {
    const std::vector<float> got = sum(round);
    std::vector<float> first = got;
    world().broadcast_values(first, 0);
    EXPECT_EQ(different_bits(got, first), 0U);
  }
}

TEST_P(LossyExchangeTest, RemaindersAreTheWholeState) {
  sum(0);
  sum(1);
  const std::span<float> remainder = exchange_->remainder();
  const std::vector<float> saved(remainder.begin(), remainder.end());
  const std::vector<float> second = sum(2);
  const std::vector<float> third = sum(3);
  std::ranges::copy(saved, remainder.begin());
  EXPECT_EQ(different_bits(sum(2), second), 0U);
  EXPECT_EQ(different_bits(sum(3), third), 0U);
  std::ranges::fill(remainder, 0.0F);
  if (nodes() > 1) {
    EXPECT_GT(different_bits(sum(2), second), 0U);
  } else {
    EXPECT_TRUE(remainder.empty());
  }
}

TEST_P(LossyExchangeTest, WordsAtTheEndAreExact) {
  const std::vector<float> words = brought(world().rank(), kWords, 1);
  std::vector<float> values = difference(world().rank(), 0);
  values.insert(values.end(), words.begin(), words.end());
  exchange_->start(values, kWords);
  exchange_->finish();
  const std::vector<float> sums = testing::expected(options_.ranks_per_node, kWords, 1);
  EXPECT_EQ(different_bits(std::span(values).last(kWords), sums), 0U);
}

TEST_P(LossyExchangeTest, AllOfItExactOnRequest) {
  std::vector<float> values = brought(world().rank(), 50'000, 1);
  exchange_->start(values, values.size());
  exchange_->finish();
  EXPECT_EQ(different_bits(values, testing::expected(options_.ranks_per_node, 50'000, 1)), 0U);
}

TEST_P(LossyExchangeTest, BucketsInFlightTogetherAreThoseInTurn) {
  const auto round = [&](bool together) {
    std::ranges::fill(exchange_->remainder(), 0.0F);
    std::vector<float> values = difference(world().rank(), 0);
    std::vector<float> again = values;
    for (std::vector<float>* all : {&values, &again}) {
      for (const std::size_t begin : {12'345U, 0U}) {
        const std::size_t size = begin == 0 ? 12'345 : kFloats - 12'345;
        exchange_->start(std::span(*all).subspan(begin, size), 0, begin);
        if (!together) exchange_->finish();
      }
    }
    exchange_->finish();
    values.insert(values.end(), again.begin(), again.end());
    return values;
  };
  const std::vector<float> in_turn = round(false);
  EXPECT_EQ(different_bits(round(true), in_turn), 0U);
}

TEST_P(LossyExchangeTest, FloatsWithoutAPlaceForRemaindersAreRefused) {
  std::vector<float> values(100);
  if (nodes() > 1) {
    EXPECT_THROW(exchange_->start(values, 0, kFloats - 99), Error);
  }
  exchange_->start(values, 0, kFloats - 100);
  exchange_->finish();
}

}  // namespace
}  // namespace oida
