#include "data/palette.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace oida {
namespace {

constexpr std::array<std::uint32_t, 20> kKelly = {0xf3c300, 0x875692, 0xf38400, 0xa1caf1, 0xbe0032,
                                                  0xc2b280, 0x848482, 0x008856, 0xe68fac, 0x0067a5,
                                                  0xf99379, 0x604e97, 0xf6a600, 0xb3446c, 0xdcd300,
                                                  0x882d17, 0x8db600, 0x654522, 0xe25822, 0x2b3d26};

Colour unpack(std::uint32_t rgb) {
  return {static_cast<std::uint8_t>(rgb >> 16), static_cast<std::uint8_t>(rgb >> 8),
          static_cast<std::uint8_t>(rgb)};
}

/// Hue in turns, saturation and value 0 .. 1 (Smith, Computer Graphics 12 (1978) 12).
Colour from_hsv(double hue, double saturation, double value) {
  const auto part = [&](double offset) {
    const double k = std::fmod(offset + 6.0 * hue, 6.0);
    const double shade = std::clamp(std::min(k, 4.0 - k), 0.0, 1.0);
    return static_cast<std::uint8_t>(std::lround(255.0 * value * (1.0 - saturation * shade)));
  };
  return {part(5.0), part(3.0), part(1.0)};
}

/// The k-th colour of an endless list; colours may repeat far down.
Colour candidate(std::size_t k) {
  if (k < kKelly.size()) return unpack(kKelly[k]);
  constexpr double kGoldenRatio = 0.618033988749895;
  constexpr std::array<double, 3> kSaturations = {0.85, 0.55, 0.7};
  constexpr std::array<double, 3> kValues = {0.95, 0.8, 0.55};
  const double turns = static_cast<double>(k) * kGoldenRatio;
  return from_hsv(turns - std::floor(turns), kSaturations[k % 3], kValues[k / 3 % 3]);
}

}  // namespace

std::vector<Colour> complete_colours(const std::vector<std::optional<Colour>>& given) {
  std::set<Colour> taken;
  for (const auto& colour : given) {
    if (colour) taken.insert(*colour);
  }
  std::vector<Colour> colours;
  std::size_t next = 0;
  for (const auto& colour : given) {
    if (colour) {
      colours.push_back(*colour);
      continue;
    }
    while (!taken.insert(candidate(next)).second) ++next;
    colours.push_back(candidate(next));
  }
  return colours;
}

}  // namespace oida
