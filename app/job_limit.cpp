#include "job_limit.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>

namespace oida::app {

namespace {

constexpr double kMarginShare = 0.05;
constexpr double kLeastMargin_s = 10;
constexpr double kMostMargin_s = 100;
/// A job that is about to end still makes a round and its checkpoint.
constexpr double kAtOnce_s = 1e-3;

/// Seconds until the end of the job; negative where none is told.
double left_in_job_s() {
  const char* text = std::getenv("SLURM_JOB_END_TIME");
  double end_s = 0;
  if (text == nullptr || std::from_chars(text, text + std::strlen(text), end_s).ec != std::errc{}) {
    return -1;
  }
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  return std::max(0.0, end_s - now.count());
}

}  // namespace

double time_limit_s(double of_deck_s) {
  const double left_s = left_in_job_s();
  if (left_s < 0) return of_deck_s;
  const double margin_s = std::clamp(kMarginShare * left_s, kLeastMargin_s, kMostMargin_s);
  const double of_job_s = std::max(kAtOnce_s, left_s - margin_s);
  return of_deck_s > 0 ? std::min(of_deck_s, of_job_s) : of_job_s;
}

}  // namespace oida::app
