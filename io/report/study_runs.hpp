#pragma once
// The runs of a study as they lie on the disk, and the points that they make.

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/report/gnuplot.hpp"
#include "io/report/report_files.hpp"

namespace oida {

struct StudyRun {
  std::string name;
  std::string state;  // finished | failed | unfinished
  std::string reason;
  RunFiles files;

  /// What must be equal for a comparison: name -> value, in this order.
  std::vector<std::pair<std::string, std::string>> equal;
  std::string device, exchange;
  int nodes = 1, units = 1, units_per_node = 1, threads = 1, restarts = 0;
  double samples = 0, train_s = NAN, warmup_s = NAN, samples_per_s = NAN, pixels_per_s = NAN;
  double idle_share = NAN, hidden_share = NAN, oa = NAN, global_batch = NAN;

  bool finished() const { return state == "finished"; }
};

/// Never throws for what is wrong with a run: it becomes a failed or an unfinished one.
std::vector<StudyRun> read_study_runs(const std::vector<std::string>& folders);

/// "strong" or "weak", as StudyOptions::kind says.
std::string study_kind(const std::vector<StudyRun>& runs, const std::string& wanted);

/// Median, least and most of the values that are numbers; NaN without any.
struct Spread {
  double median = NAN, least = NAN, most = NAN;
};
Spread spread(std::vector<double> values);

/// Repeats of one configuration.
struct StudyPoint {
  std::size_t group = 0;
  std::string device, exchange, series;
  int nodes = 1, units = 1, units_per_node = 1, threads = 1;
  std::vector<const StudyRun*> runs;
  Spread train_s, same_data_s, samples_per_s, pixels_per_s, idle_share, hidden_share, oa;
  Spread speed_up, efficiency;  // against the median of the baseline and of the series' first

  std::string label() const;
  double time_saved_percent() const { return 100 * (1 - 1 / speed_up.median); }
  /// The run in the middle of the repeats by training time.
  const StudyRun& middle() const;
};

struct StudyGroup {
  std::string name;      // "A"
  std::size_t baseline;  // index of a point
  std::vector<std::pair<std::string, std::string>> equal;
};

/// Points look into the runs: it can be moved and not copied.
struct Study {
  Study() = default;
  Study(Study&&) = default;
  Study& operator=(Study&&) = default;

  std::string title, kind;
  std::string missing_baseline;  // as asked for, where no finished run is called so
  std::vector<StudyRun> runs;
  std::vector<StudyGroup> groups;
  std::vector<StudyPoint> points;  // by group, series, units, nodes

  /// Names in StudyRun::equal in which the groups are not all alike.
  std::vector<std::string> differences() const;
  /// A point told from all others in words, but for its threads.
  std::string name(const StudyPoint& point) const;
  /// Indices of the points of one series after another.
  std::vector<std::vector<std::size_t>> series() const;
};

/// `baseline` as in StudyOptions.
Study make_study(std::vector<StudyRun> runs, const std::string& kind, const std::string& baseline);

/// Whether a finished run was tested.
bool has_accuracy(const Study& study);
/// Validation accuracy on its way (lines) and test accuracy at the end (points) of the middle run
/// of each point; of the first and the last point of each series where there are more than
/// kAccuracyCurves. Writes its data files into `folder`.
inline constexpr std::size_t kAccuracyCurves = 14;
Figure accuracy_figure(const Study& study, const std::string& folder);

/// Draws into <out>/figures; the names of the figures, and in `why` what went wrong if anything
/// did.
std::vector<std::string> draw_study(const Study& study, const std::string& out, std::string& why);

std::string scaling_csv(const Study& study);
std::string runs_csv(const Study& study);
std::string scaling_text(const Study& study, const std::vector<std::string>& figures,
                         const std::string& why);

}  // namespace oida
