#include "core/rng.hpp"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include <Random123/philox.h>

namespace oida {

Random::Random(std::uint64_t seed, Purpose purpose, std::uint64_t sample, std::uint32_t step)
    : counter_{0, static_cast<std::uint32_t>(sample), static_cast<std::uint32_t>(sample >> 32),
               step},
      key_{static_cast<std::uint32_t>(seed),
           static_cast<std::uint32_t>(seed >> 32) ^ (static_cast<std::uint32_t>(purpose) << 16)} {}

Random::result_type Random::operator()() {
  if (used_ == 4) {
    const r123::Philox4x32 philox;
    const auto drawn =
        philox({{counter_[0], counter_[1], counter_[2], counter_[3]}}, {{key_[0], key_[1]}});
    for (std::size_t i = 0; i < 4; ++i) block_[i] = drawn[i];
    ++counter_[0];
    used_ = 0;
  }
  return block_[static_cast<std::size_t>(used_++)];
}

float Random::uniform() {
  return static_cast<float>((*this)() >> 8) * 0x1p-24F;
}

double Random::normal() {
  const double u = ((*this)() + 0.5) * 0x1p-32;
  const double v = ((*this)() + 0.5) * 0x1p-32;
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

std::uint32_t Random::below(std::uint32_t bound) {
  const std::uint64_t high = (*this)();
  const std::uint64_t wide = (high << 32) | (*this)();
  __extension__ using uint128 = unsigned __int128;
  return static_cast<std::uint32_t>((static_cast<uint128>(wide) * bound) >> 64);
}

std::vector<std::uint32_t> permutation(std::size_t n, Random random) {
  std::vector<std::uint32_t> order(n);
  permute(order, random);
  return order;
}

void permute(std::span<std::uint32_t> order, Random random) {
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
  }
}

}  // namespace oida
