#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "allocations.hpp"
#include "comm/comm.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "exchange_values.hpp"

namespace oida {
namespace {

using testing::brought;
using testing::different_bits;
using testing::world;

/// Once for each number of ranks that make a node; 0 = the ranks of this host are one.
class ExchangeTest : public ::testing::TestWithParam<int> {
 protected:
  ExchangeOptions options() const {
    ExchangeOptions options;
    options.ranks_per_node = GetParam();
    return options;
  }

  std::unique_ptr<Exchange> make() const { return world().make_exchange(options()); }

  std::vector<float> expected(std::size_t size, std::uint32_t step) const {
    return testing::expected(GetParam(), size, step);
  }
};

INSTANTIATE_TEST_SUITE_P(Nodes, ExchangeTest, ::testing::Values(0, 1, 2, 3));

TEST_P(ExchangeTest, SumsInOrderBitByBit) {
  const auto exchange = make();
  for (const std::size_t size : {1U, 2U, 7U, 255U, 257U, 1000U, 65'537U, 931'049U}) {
    std::vector<float> values = brought(world().rank(), size, 1);
    exchange->start(values);
    exchange->finish();
    EXPECT_EQ(different_bits(values, expected(size, 1)), 0U) << size << " floats";
  }
}

TEST_P(ExchangeTest, WhatTheMemoryCannotHoldTravelsInParts) {
  ExchangeOptions small = options();
  small.floats = 5000;
  const auto exchange = world().make_exchange(small);
  std::vector<float> first = brought(world().rank(), 100'003, 1);
  std::vector<float> second = brought(world().rank(), 4000, 2);
  std::vector<float> third = brought(world().rank(), 3000, 3);
  exchange->start(first);
  exchange->start(second);
  exchange->start(third);
  exchange->finish();
  EXPECT_EQ(different_bits(first, expected(100'003, 1)), 0U);
  EXPECT_EQ(different_bits(second, expected(4000, 2)), 0U);
  EXPECT_EQ(different_bits(third, expected(3000, 3)), 0U);
}

TEST_P(ExchangeTest, EqualBitsWhoeverComesLate) {
  const auto exchange = make();
  const std::vector<float> sum = expected(50'000, 2);
  for (int late = 0; late < world().size(); ++late) {
    std::vector<float> values = brought(world().rank(), 50'000, 2);
    if (late == world().rank()) usleep(5'000);
    exchange->start(values);
    exchange->finish();
    EXPECT_EQ(different_bits(values, sum), 0U) << "late rank " << late;
  }
}

TEST_P(ExchangeTest, SeveralInFlightOfEqualAndOtherSizes) {
  const auto exchange = make();
  const std::vector<std::size_t> sizes{70'000, 3, 70'000, 200'003, 3, 70'000, 0};
  std::vector<std::vector<float>> values;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    values.push_back(brought(world().rank(), sizes[k], static_cast<std::uint32_t>(k)));
  }
  for (std::vector<float>& value : values) {
    exchange->start(value);
    exchange->poll();
  }
  exchange->finish();
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    EXPECT_EQ(different_bits(values[k], expected(sizes[k], static_cast<std::uint32_t>(k))), 0U)
        << k;
  }
}

TEST_P(ExchangeTest, PollAloneBringsItToTheEnd) {
  const auto exchange = make();
  EXPECT_TRUE(exchange->poll());
  std::vector<float> values = brought(world().rank(), 300'000, 3);
  const double start_s = now_s();
  exchange->start(values);
  while (!exchange->poll()) usleep(200);
  EXPECT_GE(exchange->ended_s(), start_s);
  EXPECT_LE(exchange->ended_s(), now_s());
  EXPECT_EQ(different_bits(values, expected(300'000, 3)), 0U);
}

// In a node one rank may do what the others have not come to: only start() is asked of all.
TEST_P(ExchangeTest, StartNeverWaitsForTheOthers) {
  const auto exchange = make();
  std::vector<float> values = brought(world().rank(), 1'000'000, 4);
  exchange->start(values);  // buffers are made, connections are there
  exchange->finish();
  world().barrier();
  if (world().rank() == 0) usleep(300'000);
  const double start_s = now_s();
  exchange->start(values);
  EXPECT_LT(now_s() - start_s, 0.2);
  if (world().rank() > 0) {
    EXPECT_FALSE(exchange->poll());
  }
  exchange->finish();
}

TEST_P(ExchangeTest, AllocatesNothingAfterTheFirstOfASize) {
  ExchangeOptions with_window = options();
  with_window.windows = 1;
  const auto exchange = world().make_exchange(with_window);
  std::vector<float> big(100'000);
  std::vector<float> small(5);
  const auto round = [&] {
    exchange->start(big);
    exchange->start(small);
    exchange->start_window(0, 70'000);
    exchange->poll();
    exchange->finish();
  };
  round();
  round();
  const std::size_t before = test::allocations();
  for (int i = 0; i < 20; ++i) round();
  EXPECT_EQ(test::allocations() - before, 0U);
}

TEST_P(ExchangeTest, OneRankKeepsItsBits) {
  if (world().size() > 1) GTEST_SKIP() << "for one rank";
  const auto exchange = make();
  std::vector<float> values{-0.0F, std::numeric_limits<float>::signaling_NaN(),
                            std::numeric_limits<float>::denorm_min(), 1.0F};
  const std::vector<float> before = values;
  exchange->start(values);
  EXPECT_TRUE(exchange->poll());
  exchange->finish();
  EXPECT_EQ(different_bits(values, before), 0U);
  EXPECT_GT(exchange->ended_s(), 0.0);
}

TEST_P(ExchangeTest, MoreAtOnceThanHavePlace) {
  const auto exchange = make();
  std::vector<std::vector<float>> values(300, std::vector<float>(40, 1.0F));
  for (std::vector<float>& value : values) exchange->start(value);
  exchange->finish();
  for (const std::vector<float>& value : values) {
    ASSERT_EQ(value, std::vector<float>(40, static_cast<float>(world().size())));
  }
}

TEST_P(ExchangeTest, TwoOfThemDoNotMix) {
  const auto first = make();
  const auto second = make();
  std::vector<float> a = brought(world().rank(), 5000, 5);
  std::vector<float> b = brought(world().rank(), 5000, 6);
  // Ranks may serve two exchanges in different orders.
  if (world().rank() % 2 == 0) {
    first->start(a);
    second->start(b);
  } else {
    second->start(b);
    first->start(a);
  }
  second->finish();
  first->finish();
  EXPECT_EQ(different_bits(a, expected(5000, 5)), 0U);
  EXPECT_EQ(different_bits(b, expected(5000, 6)), 0U);
}

TEST_P(ExchangeTest, ThePlaceOfOneThatEndedServesTheNext) {
  for (int i = 0; i < 3; ++i) {
    auto first = make();
    auto second = make();
    std::vector<float> values = brought(world().rank(), 3000, 8);
    second->start(values);
    second->finish();
    EXPECT_EQ(different_bits(values, expected(3000, 8)), 0U);
    // Ranks may end two exchanges in different orders.
    (world().rank() % 2 == 0 ? first : second).reset();
  }
}

TEST_P(ExchangeTest, AWindowServesALoop) {
  constexpr std::size_t kSize = 70'001;
  ExchangeOptions with_windows = options();
  with_windows.floats = kSize;
  with_windows.windows = 2;
  const auto exchange = world().make_exchange(with_windows);
  std::ranges::copy(brought(world().rank(), kSize, 0), exchange->window(1).begin());
  exchange->start_window(1, kSize);
  for (std::uint32_t round = 1; round < 12; ++round) {
    exchange->finish();
    const std::vector<float> next = brought(world().rank(), kSize, round);
    std::ranges::copy(next, exchange->window(1).begin());  // the old sum is still wanted
    EXPECT_EQ(different_bits(exchange->window_sum(1), expected(kSize, round - 1)), 0U) << round;
    exchange->start_window(1, kSize);
    exchange->poll();
  }
  exchange->finish();
}

TEST_P(ExchangeTest, WindowsAndBuffersTogether) {
  ExchangeOptions with_windows = options();
  with_windows.floats = 5000;
  with_windows.windows = 2;
  const auto exchange = world().make_exchange(with_windows);
  std::vector<float> values = brought(world().rank(), 5000, 2);
  for (std::size_t k = 0; k < 2; ++k) {
    const auto step = static_cast<std::uint32_t>(k);
    std::ranges::copy(brought(world().rank(), 5000, step), exchange->window(k).begin());
    exchange->start_window(k, 5000);
  }
  exchange->start(values);
  exchange->finish();
  EXPECT_EQ(different_bits(exchange->window_sum(0), expected(5000, 0)), 0U);
  EXPECT_EQ(different_bits(exchange->window_sum(1), expected(5000, 1)), 0U);
  EXPECT_EQ(different_bits(values, expected(5000, 2)), 0U);
}

TEST_P(ExchangeTest, AWindowThatIsNotThereIsAnError) {
  ExchangeOptions with_window = options();
  with_window.windows = 1;
  with_window.floats = 10;
  const auto exchange = world().make_exchange(with_window);
  EXPECT_THROW(exchange->window(1), Error);
  EXPECT_THROW(exchange->start_window(0, 11), Error);
}

TEST_P(ExchangeTest, BytesAreThoseBetweenNodes) {
  const auto exchange = make();
  const std::int64_t per_node = GetParam() == 0 ? world().size() : GetParam();
  const std::int64_t nodes = (world().size() + per_node - 1) / per_node;
  std::vector<std::int64_t> sent{0};
  if (world().rank() % per_node == 0) sent[0] = exchange->bytes_per_exchange(100'000);
  world().sum(sent);
  EXPECT_EQ(sent[0], 2 * (nodes - 1) * 400'000);  // each value comes to its owner and goes back
}

}  // namespace
}  // namespace oida
