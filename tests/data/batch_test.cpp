#include "data/batch.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace oida {
namespace {

TEST(Batch, StartsZeroAndAligned) {
  Batch batch(3, 5, 7, 9, 16);
  EXPECT_EQ(batch.n, 3);
  EXPECT_EQ(batch.sample_floats(), 5U * 7U * 16U);
  EXPECT_EQ(batch.input.size(), 3U * 5U * 7U * 16U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(batch.input.data()) % 64, 0U);
  EXPECT_EQ(batch.sample(2), batch.input.data() + 2 * 5 * 7 * 16);
  EXPECT_TRUE(std::all_of(batch.input.begin(), batch.input.end(), [](float x) { return x == 0; }));
  EXPECT_EQ(batch.labels, std::vector<std::int32_t>(3, -1));
}

TEST(Batch, RefusesSizesThatMakeNoSense) {
  EXPECT_THROW(Batch(0, 5, 5, 9, 9), Error);
  EXPECT_THROW(Batch(1, 0, 5, 9, 9), Error);
  EXPECT_THROW(Batch(1, 5, 5, 9, 8), Error);
}

}  // namespace
}  // namespace oida
