#pragma once
// A scaling study: tables and figures over the run directories of many runs.

#include <string>
#include <vector>

namespace oida {

struct StudyOptions {
  std::string title = "Scaling";
  /// auto | strong (the same global batch everywhere) | weak (the same batch a unit). auto: weak
  /// where the runs share the batch a unit and not the global batch.
  std::string kind = "auto";
  /// Name of a run, or a point as the table calls it ("2 cpu on 1 node"), that speed-up and saved
  /// time refer to; empty: the point with the fewest units, a CPU's first.
  std::string baseline = {};
};

struct StudyCounts {
  int runs = 0;
  int finished = 0;
};

/// Reads the run directories, finished, failed, unfinished or missing, and writes into the folder
/// `out`: scaling.csv (a row a point), runs.csv (a row a run), scaling.md, scaling.html (stands
/// alone) and figures/NAME.svg|png with data files and scripts beside them.
///
/// Runs with the same device, exchange, nodes, units and threads are repeats of one point: median
/// with least and most. Runs that differ in what must be equal (training samples and features,
/// network, batch, precision, optimizer, engine) never share a point; they are told apart as
/// groups A, B, ... each with its own baseline, and the text says in what they differ.
///   time for the same data = train_s x samples of the baseline / samples
///   speed-up               = that time of the baseline / that of the point
///   efficiency             = rate a unit / rate a unit of the smallest point of the same series
///   time saved %           = 100 x (1 - 1 / speed-up)
/// A wanted baseline without a result is said and the default stands in. Error naming a file that
/// cannot be written.
StudyCounts write_study(const std::vector<std::string>& runs, const StudyOptions& options,
                        const std::string& out);

}  // namespace oida
