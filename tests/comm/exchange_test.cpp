#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "comm/comm.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/rng.hpp"
#include "mpi_world.hpp"

namespace {

std::atomic<std::size_t> allocations{0};

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, bytes) != 0) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
  return counted(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace oida {
namespace {

Comm& world() {
  return testing::world();
}

/// What rank `rank` brings: values of very different size, so that each order of addition rounds
/// differently.
std::vector<float> brought(int rank, std::size_t size, std::uint32_t step) {
  std::vector<float> values(size);
  Random random(7, Purpose::test, static_cast<std::uint64_t>(rank), step);
  for (float& value : values) {
    value = std::ldexp(random.uniform() - 0.5F, static_cast<int>(random.below(24)));
  }
  return values;
}

/// Plainly, in the order of the ranks.
std::vector<float> expected(std::size_t size, std::uint32_t step) {
  std::vector<float> sum = brought(0, size, step);
  for (int r = 1; r < world().size(); ++r) {
    const std::vector<float> part = brought(r, size, step);
    for (std::size_t i = 0; i < size; ++i) sum[i] += part[i];
  }
  return sum;
}

std::size_t different_bits(const std::vector<float>& a, const std::vector<float>& b) {
  std::size_t count = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    count += std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i]) ? 1 : 0;
  }
  return count;
}

TEST(Exchange, SumsInRankOrderBitByBit) {
  const auto exchange = world().make_exchange();
  for (const std::size_t size : {1U, 2U, 15U, 16U, 17U, 100U, 1000U, 65'537U, 931'048U}) {
    std::vector<float> values = brought(world().rank(), size, 1);
    exchange->start(values);
    exchange->finish();
    EXPECT_EQ(different_bits(values, expected(size, 1)), 0U) << size << " floats";
  }
}

TEST(Exchange, EqualBitsWhoeverComesLate) {
  const auto exchange = world().make_exchange();
  const std::vector<float> sum = expected(50'000, 2);
  for (int late = 0; late < world().size(); ++late) {
    std::vector<float> values = brought(world().rank(), 50'000, 2);
    if (late == world().rank()) usleep(20'000);
    exchange->start(values);
    exchange->finish();
    EXPECT_EQ(different_bits(values, sum), 0U) << "late rank " << late;
  }
}

TEST(Exchange, SeveralInFlightOfEqualAndOtherSizes) {
  const auto exchange = world().make_exchange();
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

TEST(Exchange, PollAloneBringsItToTheEnd) {
  const auto exchange = world().make_exchange();
  EXPECT_TRUE(exchange->poll());
  std::vector<float> values = brought(world().rank(), 300'000, 3);
  const double start_s = now_s();
  exchange->start(values);
  while (!exchange->poll()) usleep(200);
  EXPECT_GE(exchange->ended_s(), start_s);
  EXPECT_LE(exchange->ended_s(), now_s());
  EXPECT_EQ(different_bits(values, expected(300'000, 3)), 0U);
}

TEST(Exchange, StartNeverWaitsForTheOthers) {
  const auto exchange = world().make_exchange();
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

TEST(Exchange, AllocatesNothingAfterTheFirstOfASize) {
  const auto exchange = world().make_exchange();
  std::vector<float> big(100'000);
  std::vector<float> small(5);
  const auto round = [&] {
    exchange->start(big);
    exchange->start(small);
    exchange->poll();
    exchange->finish();
  };
  round();
  round();
  const std::size_t before = allocations;
  for (int i = 0; i < 20; ++i) round();
  EXPECT_EQ(allocations - before, 0U);
}

TEST(Exchange, OneRankKeepsItsBits) {
  if (world().size() > 1) GTEST_SKIP() << "for one rank";
  const auto exchange = world().make_exchange();
  std::vector<float> values{-0.0F, std::numeric_limits<float>::signaling_NaN(),
                            std::numeric_limits<float>::denorm_min(), 1.0F};
  const std::vector<float> before = values;
  exchange->start(values);
  EXPECT_TRUE(exchange->poll());
  exchange->finish();
  EXPECT_EQ(different_bits(values, before), 0U);
  EXPECT_GT(exchange->ended_s(), 0.0);
}

TEST(Exchange, TooManyInFlightIsAnError) {
  if (world().size() == 1) GTEST_SKIP() << "for several ranks";
  const auto exchange = world().make_exchange();
  std::vector<std::vector<float>> values(128, std::vector<float>(40, 1.0F));
  for (std::vector<float>& value : values) exchange->start(value);
  std::vector<float> one_more(40);
  EXPECT_THROW(exchange->start(one_more), Error);
  exchange->finish();
  for (const std::vector<float>& value : values) {
    ASSERT_EQ(value, std::vector<float>(40, static_cast<float>(world().size())));
  }
}

TEST(Exchange, TwoOfThemDoNotMix) {
  const auto first = world().make_exchange();
  const auto second = world().make_exchange();
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

}  // namespace
}  // namespace oida
