#include "oida/wire_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace oida::test {

namespace {

constexpr std::size_t kBlock = 256;

std::size_t divided_up(std::size_t n, std::size_t by) {
  return n / by + (n % by > 0 ? 1 : 0);
}

/// Eight bits of mantissa, ties to even.
float to_bf16(float value) {
  int exponent = 0;
  const double mantissa = std::frexp(static_cast<double>(value), &exponent);
  return static_cast<float>(std::ldexp(std::nearbyint(mantissa * 256.0) / 256.0, exponent));
}

/// Whole multiples of the block's largest magnitude / `levels`.
void to_levels(std::span<float> block, float levels) {
  float most = 0;
  for (const float value : block) most = std::max(most, std::abs(value));
  if (most == 0.0F) return;
  const float scale = most / levels;
  for (float& value : block) value = std::nearbyint(value * (levels / most)) * scale;
}

}  // namespace

/// Each unit owns a chunk in turn; a chunk is a whole number of blocks that gives every unit one of
/// them at least where it is not longer than 65536 floats.
WireSimulation::WireSimulation(std::size_t units, std::size_t size, std::size_t floats, Wire wire)
    : chunk_(divided_up(divided_up(floats, units), kBlock) * kBlock),
      wire_(wire),
      left_out_(units, std::vector<float>(size)) {}

/// What travels of `values`, which stand at `first`, from this unit; the rest joins its next.
std::vector<float> WireSimulation::round(std::size_t unit, std::vector<float> values,
                                         std::size_t first) {
  float* left_out = left_out_[unit].data() + first;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += left_out[i];
  std::vector<float> rounded = values;
  if (wire_ == Wire::bf16) std::transform(values.begin(), values.end(), rounded.begin(), to_bf16);
  for (std::size_t at = 0; wire_ != Wire::bf16 && at < rounded.size(); at += kBlock) {
    const std::size_t length = std::min(kBlock, rounded.size() - at);
    to_levels(std::span(rounded).subspan(at, length), wire_ == Wire::int8 ? 127.0F : 7.0F);
  }
  for (std::size_t i = 0; i < values.size(); ++i) left_out[i] = values[i] - rounded[i];
  return rounded;
}

/// The owner of a chunk adds what comes rounded from the others to its own, which did not travel.
std::vector<float> WireSimulation::sum(const std::vector<std::vector<float>>& arrays) {
  std::vector<float> sums;
  const std::size_t units = arrays.size();
  const std::size_t size = arrays.front().size();
  if (units == 1) return arrays.front();
  for (std::size_t first = 0; first < size; first += chunk_) {
    const std::size_t last = std::min(first + chunk_, size);
    const std::size_t owner = first / chunk_ % units;
    std::vector<float> sum;
    for (std::size_t u = 0; u < units; ++u) {
      const auto begin = arrays[u].begin();
      std::vector<float> part(begin + static_cast<std::ptrdiff_t>(first),
                              begin + static_cast<std::ptrdiff_t>(last));
      if (u != owner) part = round(u, std::move(part), first);
      if (u == 0) sum.assign(part.size(), 0.0F);
      for (std::size_t i = 0; i < part.size(); ++i) sum[i] += part[i];
    }
    sum = round(owner, std::move(sum), first);
    sums.insert(sums.end(), sum.begin(), sum.end());
  }
  return sums;
}

}  // namespace oida::test
