#pragma once
// Figures by gnuplot, run as a process.

#include <string>

namespace oida {

/// Writes <name>.gp into `folder` and runs it there: `script` sets the picture up, `plot` draws it;
/// it comes out as <name>.svg and <name>.png of `width` x `height` pixels. Returns what went wrong
/// on one line; empty when nothing did. Error naming a file that cannot be written.
struct Figure {
  std::string name;
  int width = 960;
  int height = 560;
  std::string script = {};
  std::string plot = {};
};
std::string draw(const std::string& folder, const Figure& figure);

/// A text for gnuplot, quoted; no character in it means anything to gnuplot.
std::string gnuplot_quoted(const std::string& text);

}  // namespace oida
