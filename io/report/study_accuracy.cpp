// Accuracy against training time.

#include <algorithm>

#include "io/files.hpp"
#include "io/report/figure_style.hpp"
#include "io/report/study_runs.hpp"

namespace oida {
namespace {

constexpr int kWall_s = 3, kOa = 6;

/// All points where their curves can be told apart, else the first and the last of each series.
std::vector<const StudyPoint*> points_told_apart(const Study& study) {
  std::vector<const StudyPoint*> points;
  for (const auto& indices : study.series()) {
    for (const std::size_t i : indices) {
      const bool end = i == indices.front() || i == indices.back();
      if (study.points.size() <= kAccuracyCurves || end) points.push_back(&study.points[i]);
    }
  }
  return points;
}

}  // namespace

Figure accuracy_figure(const Study& study, const std::string& folder) {
  const auto points = points_told_apart(study);
  std::string way, end;
  for (const StudyPoint* point : points) {
    const StudyRun& run = point->middle();
    const std::string head = (way.empty() ? "# " : "\n\n# ") + point->label() + "\n";
    way += head + "nan nan\n";
    for (const auto& row : run.files.metrics) way += row[kWall_s] + " " + row[kOa] + "\n";
    end += head + std::to_string(run.train_s + run.warmup_s) + " " + std::to_string(run.oa) + "\n";
  }
  write_whole_file(folder + "/accuracy.dat", way);
  write_whole_file(folder + "/accuracy_end.dat", end);
  Figure figure{.name = "accuracy", .height = 560 + kKeyLine_px * static_cast<int>(points.size())};
  figure.script = std::string(kGrid) +
                  "set key tmargin left vertical maxcols 1 reverse Left\nset xlabel 'time since "
                  "training began, warm-up included (s)'\n"
                  "set ylabel 'overall accuracy (%): lines validation, points test'\n"
                  "set xrange [0:*]\nset yrange [*:100.5]\n";
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string index = " index " + std::to_string(i) + " using 1:(100*$2) with ";
    figure.plot += (i == 0 ? "plot " : ", ") + std::string("'accuracy.dat'") + index +
                   "lines lw 2 " + dash(i) + colour(i) + " notitle, 'accuracy_end.dat'" + index +
                   "points ps 1.4 " + mark(i) + colour(i) + " title " +
                   gnuplot_quoted(study.name(*points[i]));
  }
  return figure;
}

bool has_accuracy(const Study& study) {
  return std::any_of(study.points.begin(), study.points.end(),
                     [](const StudyPoint& point) { return !std::isnan(point.oa.median); });
}

}  // namespace oida
