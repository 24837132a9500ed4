#include "core/hash.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace oida {
namespace {

/// The buffer of xxHash's own sanity check (cli/xsum_sanity_check.c).
std::vector<std::uint8_t> sanity_buffer(std::size_t n) {
  std::vector<std::uint8_t> buffer;
  std::uint64_t generator = 2654435761ULL;
  for (std::size_t i = 0; i < n; ++i, generator *= 11400714785074694797ULL) {
    buffer.push_back(static_cast<std::uint8_t>(generator >> 56));
  }
  return buffer;
}

// Golden values: the table of that check for XXH3_64bits, seed 0.
TEST(Hash, IsXxh3) {
  const auto of_length = [](std::size_t n) {
    return checksum(std::span<const std::uint8_t>(sanity_buffer(n)));
  };
  EXPECT_EQ(of_length(0), 0x2D06800538D394C2ULL);
  EXPECT_EQ(of_length(1), 0xC44BDFF4074EECDBULL);
  EXPECT_EQ(of_length(6), 0x27B56A84CD2D7325ULL);
  EXPECT_EQ(of_length(12), 0xA713DAF0DFBB77E7ULL);
}

TEST(Hash, SeedAndBytesMatter) {
  const std::vector<int> values = {1, 2, 3};
  const std::vector<int> others = {1, 2, 4};
  const auto sum = checksum(std::span<const int>(values));
  EXPECT_NE(sum, checksum(std::span<const int>(others)));
  EXPECT_NE(sum, checksum(std::span<const int>(values), 1));
}

TEST(Hash, PiecesGiveTheChecksumOfTheWhole) {
  std::vector<std::uint8_t> values(5000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i * i);
  const auto all = std::as_bytes(std::span(values));
  for (const std::uint64_t seed : {0U, 7U}) {
    Checksum sum(seed);
    for (std::size_t at = 0; at < all.size(); at += 13) {
      sum.add(all.subspan(at, std::min<std::size_t>(13, all.size() - at)));
    }
    EXPECT_EQ(sum.value(), checksum(all, seed));
  }
}

TEST(Hash, HexIsPadded) {
  EXPECT_EQ(hex(0x1aU), "000000000000001a");
}

}  // namespace
}  // namespace oida
