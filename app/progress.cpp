#include "progress.hpp"

#include <cmath>
#include <cstdio>
#include <iostream>

#include <unistd.h>

#include "core/clock.hpp"

namespace oida::app {

namespace {

constexpr double kBarEvery_s = 0.2;
constexpr double kLineEvery_s = 5;
constexpr int kBarCells = 24;

std::string bar(double share) {
  std::string cells(static_cast<std::size_t>(kBarCells), '.');
  const auto full = static_cast<std::size_t>(share * kBarCells);
  for (std::size_t i = 0; i < full && i < cells.size(); ++i) cells[i] = '#';
  return "[" + cells + "] ";
}

}  // namespace

std::string duration(double seconds) {
  char text[48];
  const long whole = std::lround(seconds);
  if (whole >= 3600) {
    std::snprintf(text, sizeof text, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
  } else if (whole >= 60) {
    std::snprintf(text, sizeof text, "%ld min %02ld s", whole / 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%ld s", whole);
  }
  return text;
}

ProgressLine::ProgressLine(const std::string& mode, std::int64_t first_step)
    : mode_(mode == "off"                                                     ? Mode::off
            : mode == "bar" || (mode == "auto" && isatty(STDOUT_FILENO) != 0) ? Mode::bar
                                                                              : Mode::lines),
      first_step_(first_step),
      began_s_(now_s()),
      shown_s_(began_s_) {}

void ProgressLine::show(const Progress& progress) {
  const double now = now_s();
  const bool last = progress.step == progress.total_steps;
  const double every_s = mode_ == Mode::bar ? kBarEvery_s : kLineEvery_s;
  if (mode_ == Mode::off || (now - shown_s_ < every_s && !last)) return;
  shown_s_ = now;
  const auto done = static_cast<double>(progress.step - first_step_);
  const auto left = static_cast<double>(progress.total_steps - progress.step);
  const double elapsed_s = now - began_s_;
  const double batch = static_cast<double>(progress.samples) / static_cast<double>(progress.step);
  char text[200];
  std::snprintf(text, sizeof text, "step %lld of %lld  %.0f samples/s  %s left  loss %.4f",
                static_cast<long long>(progress.step), static_cast<long long>(progress.total_steps),
                done * batch / elapsed_s, duration(left * elapsed_s / done).c_str(),
                progress.train_loss);
  std::string line = text;
  if (progress.accuracy > 0) {
    std::snprintf(text, sizeof text, "  validation OA %.4f", progress.accuracy);
    line += text;
  }
  if (mode_ == Mode::bar) {
    const double share =
        static_cast<double>(progress.step) / static_cast<double>(progress.total_steps);
    std::cout << '\r' << bar(share) << line << "\033[K" << std::flush;
    open_ = true;
  } else {
    std::cout << line << std::endl;
  }
}

void ProgressLine::finish() {
  if (open_) std::cout << std::endl;
  open_ = false;
}

}  // namespace oida::app
