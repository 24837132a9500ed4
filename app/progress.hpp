#pragma once
// The progress line: a bar on a terminal, a plain line every few seconds in a log.

#include <string>

#include "oida/trainer.hpp"

namespace oida::app {

class ProgressLine {
 public:
  /// `mode`: auto | bar | lines | off.
  explicit ProgressLine(const std::string& mode, std::int64_t first_step);
  void show(const Progress& progress);
  /// Ends an open bar, so that a line of its own can follow.
  void finish();

 private:
  enum class Mode { bar, lines, off };
  Mode mode_;
  std::int64_t first_step_;
  double began_s_, shown_s_;
  bool open_ = false;  // a bar stands on the current line
};

/// "1 h 02 min", "3 min 20 s", "12 s".
std::string duration(double seconds);

}  // namespace oida::app
