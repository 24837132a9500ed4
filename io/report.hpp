#pragma once
// report.md and its figures for one run, from the files in its directory.

#include <string>

namespace oida {

/// Writes report.md and, where gnuplot is found, loss.svg|png, phases.svg|png, confusion.svg|png
/// from run.json, metrics.csv, timing.json and test.json; data files stand beside them in figures/.
/// Without gnuplot the report says so in one line. Error naming the file that cannot be written.
void write_run_report(const std::string& run_directory);

}  // namespace oida
