#include "polsar/speckle_filter.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/error.hpp"
#include "polsar/boxcar.hpp"
#include "polsar/refined_lee.hpp"

namespace oida {
namespace {

constexpr std::string_view kBoxcar = "boxcar:";
constexpr std::string_view kRefinedLee = "refined_lee:";
constexpr int kMostSide_px = 255;

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

int side(const std::string& filter, std::string_view text, int least) {
  const auto value = number<int>(text);
  if (value && *value >= least && *value <= kMostSide_px && *value % 2 == 1) return *value;
  throw InputError("data.speckle_filter", "'" + filter + "' has no odd side from " +
                                              std::to_string(least) + " to " +
                                              std::to_string(kMostSide_px));
}

SpeckleFilter lee_filter(const std::string& filter, std::string_view text) {
  SpeckleFilter result;
  result.kind = SpeckleFilter::Kind::refined_lee;
  const std::size_t colon = text.find(':');
  result.side_px = side(filter, text.substr(0, colon), kLeastLeeSide_px);
  if (colon == std::string_view::npos) return result;
  const auto looks = number<double>(text.substr(colon + 1));
  if (!looks || !std::isfinite(*looks) || *looks < 0.1 || *looks > 1e4) {
    throw InputError("data.speckle_filter",
                     "'" + filter + "' has no number of looks from 0.1 to 10000");
  }
  result.looks = *looks;
  return result;
}

}  // namespace

SpeckleFilter speckle_filter(const std::string& text) {
  const std::string_view rest = text;
  if (text == "none") return {};
  if (text.starts_with(kBoxcar)) {
    return {SpeckleFilter::Kind::boxcar, side(text, rest.substr(kBoxcar.size()), 1), 1.0};
  }
  if (text.starts_with(kRefinedLee)) return lee_filter(text, rest.substr(kRefinedLee.size()));
  throw InputError("data.speckle_filter",
                   "'" + text + "' is not one of none, boxcar:N, refined_lee:N[:LOOKS]");
}

std::string to_text(const SpeckleFilter& filter) {
  const std::string side = std::to_string(filter.side_px);
  switch (filter.kind) {
    case SpeckleFilter::Kind::none:
      return "none";
    case SpeckleFilter::Kind::boxcar:
      return std::string(kBoxcar) + side;
    case SpeckleFilter::Kind::refined_lee:
      break;
  }
  std::array<char, 32> looks{};
  const auto end = std::to_chars(looks.data(), looks.data() + looks.size(), filter.looks).ptr;
  return std::string(kRefinedLee) + side + ":" + std::string(looks.data(), end);
}

MatrixWindow filtered(const MatrixWindow& window, const SpeckleFilter& filter) {
  switch (filter.kind) {
    case SpeckleFilter::Kind::boxcar:
      return boxcar(window, filter.side_px);
    case SpeckleFilter::Kind::refined_lee:
      return refined_lee(window, filter.side_px, filter.looks);
    case SpeckleFilter::Kind::none:
      break;
  }
  return window;
}

}  // namespace oida
