#include "nn/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.hpp"

namespace oida {
namespace {

/// Half a cosine from `from` at 0 to `to` at 1.
double cosine(double from, double to, double share) {
  return to + (from - to) * 0.5 * (1.0 + std::cos(std::numbers::pi * share));
}

/// Linear from `first` to `peak` over the warm-up, then a cosine to `last`.
double warm_then_cosine(double progress, double warm_up, double first, double peak, double last) {
  if (progress < warm_up) return first + (peak - first) * progress / warm_up;
  if (warm_up >= 1.0) return peak;
  return cosine(peak, last, (progress - warm_up) / (1.0 - warm_up));
}

}  // namespace

float Schedule::rate(double progress) const {
  const double at = std::clamp(progress, 0.0, 1.0);
  const double top = peak;
  switch (kind) {
    case Kind::constant:
      return peak;
    case Kind::one_cycle:
      return static_cast<float>(warm_then_cosine(at, warm_up, top / 25.0, top, top / 10000.0));
    case Kind::cosine:
      return static_cast<float>(warm_then_cosine(at, warm_up, 0.0, top, 0.0));
    case Kind::warm_up:
      return static_cast<float>(warm_then_cosine(at, warm_up, 0.0, top, top));
  }
  throw Error("train.schedule", "kind " + std::to_string(static_cast<int>(kind)));
}

Schedule::Kind schedule_kind(const std::string& name) {
  if (name == "constant") return Schedule::Kind::constant;
  if (name == "one_cycle") return Schedule::Kind::one_cycle;
  if (name == "cosine") return Schedule::Kind::cosine;
  if (name == "warm_up") return Schedule::Kind::warm_up;
  throw InputError("train.schedule",
                   "'" + name + "' is not known, allowed: constant, one_cycle, cosine, warm_up");
}

}  // namespace oida
