#include "engine/dropout.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace oida {
namespace {

std::vector<std::uint8_t> mask(std::uint64_t seed, std::uint32_t step, int layer, int i, float rate,
                               std::size_t size = 4000) {
  Batch batch;
  batch.seed = seed;
  batch.step = step;
  std::vector<std::uint8_t> keep(size, 7);
  dropout_mask(batch, layer, rate, i, keep);
  return keep;
}

TEST(DropoutMask, KeepsItsShare) {
  for (const float rate : {0.0F, 0.1F, 0.5F, 0.9F}) {
    const auto keep = mask(1, 2, 3, 4, rate);
    const double kept = std::accumulate(keep.begin(), keep.end(), 0.0) / 4000.0;
    EXPECT_NEAR(kept, 1.0 - rate, 4.0 * std::sqrt(rate * (1.0 - rate) / 4000.0) + 1e-9);
  }
}

TEST(DropoutMask, IsNamedBySeedStepLayerAndSample) {
  const auto keep = mask(1, 2, 3, 4, 0.5F);
  EXPECT_EQ(keep, mask(1, 2, 3, 4, 0.5F));
  EXPECT_NE(keep, mask(2, 2, 3, 4, 0.5F));
  EXPECT_NE(keep, mask(1, 3, 3, 4, 0.5F));
  EXPECT_NE(keep, mask(1, 2, 4, 4, 0.5F));
  EXPECT_NE(keep, mask(1, 2, 3, 5, 0.5F));
}

TEST(DropoutMask, DoesNotDependOnItsLength) {
  const auto whole = mask(1, 2, 3, 4, 0.5F);
  const auto part = mask(1, 2, 3, 4, 0.5F, 13);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin()));
}

}  // namespace
}  // namespace oida
