#pragma once
// The one clock of the project: every timing in a report comes from it.

#include <chrono>

namespace oida {

/// Seconds on a monotonic clock; only differences mean anything.
inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace oida
