#pragma once
// report.md, report.html and the figures for one run, from the files in its directory.

#include <string>

namespace oida {

/// Names in a run directory that the report knows.
inline constexpr const char* kFiguresFolder = "figures";
/// Pictures of a scene are <stem>.png, of the second scene <stem>-2.png and so on.
inline constexpr const char* kQuicklookStem = "quicklook";
inline constexpr const char* kClassPictureStem = "class_map";

/// Writes report.md, the same as a page that stands alone (report.html) and, where gnuplot is
/// found, figures/loss.svg|png, phases.svg|png and confusion.svg|png from run.json, metrics.csv,
/// timing.json and test.json, as far as these are there; data files and scripts stand beside them.
/// Without gnuplot the report says so in one line. Of run.json it shows "warnings" (texts),
/// "restarts" and "placement" (a list of equal objects). Error naming the file that cannot be read
/// or written.
void write_run_report(const std::string& run_directory);

}  // namespace oida
