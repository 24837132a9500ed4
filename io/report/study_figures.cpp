// The figures of a study and the data files that they are drawn from.

#include <algorithm>
#include <array>
#include <set>

#include "io/files.hpp"
#include "io/report/figure_style.hpp"
#include "io/report/report.hpp"
#include "io/report/study_runs.hpp"

namespace oida {
namespace {

constexpr std::array<const char*, 7> kColours = {"#4477aa", "#ee6677", "#228833", "#ccbb44",
                                                 "#66ccee", "#aa3377", "#777777"};
constexpr int kWall_s = 3, kOa = 6;
/// Bars that can stand beside each other with their labels.
constexpr std::size_t kBars = 48;
/// Height of an entry of the key.
constexpr int kKeyLine_px = 20;
/// From this many units on, the axis of units is logarithmic.
constexpr int kManyUnits = 32;

std::string colour(std::size_t i) {
  return std::string("lc rgb '") + kColours[i % kColours.size()] + "'";
}

/// A quantity over the number of units, a curve a series.
struct UnitFigure {
  const char* name;
  const char* axis;
  Spread StudyPoint::*value;
  double factor;
};

std::string unit_line(const StudyPoint& point, const Spread& value, double factor) {
  const auto text = [factor](double v) {
    return std::isnan(v) ? std::string("nan") : std::to_string(factor * v);
  };
  return std::to_string(point.units) + " " + text(value.median) + " " + text(value.least) + " " +
         text(value.most) + "\n";
}

/// Blocks of "units median least most", one a series, as gnuplot's index tells them apart.
std::string unit_data(const Study& study, Spread StudyPoint::*value, double factor) {
  std::string data;
  for (const auto& indices : study.series()) {
    data += (data.empty() ? "# " : "\n\n# ") + study.points[indices.front()].series +
            ": units, median, least, most\n";
    for (const std::size_t i : indices) {
      data += unit_line(study.points[i], study.points[i].*value, factor);
    }
  }
  return data;
}

std::string unit_axis(const Study& study) {
  std::set<int> units;
  for (const auto& point : study.points) units.insert(point.units);
  std::string script = "set xlabel 'computing units'\nset offsets graph 0.04, graph 0.04, 0, 0\n";
  if (*units.rbegin() >= kManyUnits) script += "set logscale x 2\n";
  std::string tics;
  for (const int n : units) tics += (tics.empty() ? "" : ", ") + std::to_string(n);
  if (units.size() <= 12) script += "set xtics (" + tics + ")\n";
  return script;
}

std::string curves(const Study& study, const std::string& file, std::size_t first_colour,
                   const std::string& dash, const std::string& what) {
  std::string plot;
  const auto all = study.series();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string title = study.points[all[i].front()].series + what;
    plot += (i == 0 ? "" : ", ") + gnuplot_quoted(file) + " index " + std::to_string(i) +
            " using 1:2:3:4 with yerrorlines lw 2 pt 7 ps 0.8 " + dash + colour(first_colour + i) +
            " title " + gnuplot_quoted(title);
  }
  return plot;
}

std::string figure_script(const Study& study, const std::string& axis) {
  return std::string(kGrid) + "set key tmargin left vertical maxcols 1 reverse Left\nset ylabel " +
         gnuplot_quoted(axis) + "\nset yrange [0:*]\n" + unit_axis(study);
}

Figure unit_figure(const Study& study, const std::string& folder, const UnitFigure& wanted) {
  const std::string file = std::string(wanted.name) + ".dat";
  write_whole_file(folder + "/" + file, unit_data(study, wanted.value, wanted.factor));
  Figure figure{.name = wanted.name};
  figure.height += kKeyLine_px * static_cast<int>(study.series().size());
  figure.script = figure_script(study, wanted.axis);
  figure.plot = "plot " + curves(study, file, 0, "", "");
  return figure;
}

/// The ideal line of the first group: its baseline's speed-up in proportion to the units.
void add_ideal_speed_up(const Study& study, Figure& figure) {
  const StudyPoint& base = study.points[study.groups.front().baseline];
  figure.plot += ", x / " + std::to_string(base.units) +
                 ".0 with lines lw 1 dt 2 lc rgb '#222222' title 'ideal'";
}

void add_ideal_efficiency(Figure& figure) {
  figure.plot += ", 100 with lines lw 1 dt 2 lc rgb '#222222' title 'ideal'";
}

Figure shares_figure(const Study& study, const std::string& folder) {
  write_whole_file(folder + "/idle.dat", unit_data(study, &StudyPoint::idle_share, 100));
  write_whole_file(folder + "/hidden.dat", unit_data(study, &StudyPoint::hidden_share, 100));
  Figure figure{.name = "shares"};
  figure.height += 2 * kKeyLine_px * static_cast<int>(study.series().size());
  figure.script = figure_script(study, "share (%)") + "set yrange [0:105]\n";
  const std::size_t series = study.series().size();
  figure.plot = "plot " + curves(study, "idle.dat", 0, "", ": idle") + ", " +
                curves(study, "hidden.dat", series, "dt 2 ", ": hidden");
  return figure;
}

/// Bars of each point's middle run: all ranks where they fit, else evenly spread ones.
std::vector<PhaseBar> study_bars(const Study& study) {
  const std::size_t most = std::max<std::size_t>(1, kBars / study.points.size());
  std::vector<PhaseBar> bars;
  for (const auto& point : study.points) {
    const auto& ranks = point.middle().files.timing.at("per_rank");
    const std::size_t step = (ranks.size() + most - 1) / most;
    for (std::size_t i = 0; i < ranks.size(); i += std::max<std::size_t>(1, step)) {
      bars.emplace_back(study.name(point) + ", rank " + number_text(ranks[i].at("rank")), ranks[i]);
    }
  }
  return bars;
}

Figure study_phases(const Study& study, const std::string& folder) {
  const auto bars = study_bars(study);
  Figure figure = phases_figure(folder, bars);
  figure.width = std::max(960, 400 + 24 * static_cast<int>(bars.size()));
  figure.height = 680;
  std::size_t longest = 0;
  for (const auto& bar : bars) longest = std::max(longest, bar.first.size());
  figure.script += "set bmargin " + std::to_string(2 + longest * 2 / 5) + "\n";
  figure.script += "set xtics rotate by 90 right font ',10'\nset xlabel ''\n";
  return figure;
}

/// Validation accuracy on its way (lines) and test accuracy at the end (points) of each point's
/// middle run.
Figure accuracy_figure(const Study& study, const std::string& folder) {
  std::string way, end;
  for (const auto& point : study.points) {
    const StudyRun& run = point.middle();
    const std::string head = (way.empty() ? "# " : "\n\n# ") + point.label() + "\n";
    way += head + "nan nan\n";
    for (const auto& row : run.files.metrics) way += row[kWall_s] + " " + row[kOa] + "\n";
    end += head + std::to_string(run.train_s + run.warmup_s) + " " + std::to_string(run.oa) + "\n";
  }
  write_whole_file(folder + "/accuracy.dat", way);
  write_whole_file(folder + "/accuracy_end.dat", end);
  Figure figure{.name = "accuracy", .height = 620};
  figure.script = std::string(kGrid) +
                  "set key outside right top reverse Left\nset xlabel 'time since training began, "
                  "warm-up included (s)'\n"
                  "set ylabel 'overall accuracy (%): lines validation, points test'\n"
                  "set xrange [0:*]\nset yrange [*:100.5]\n";
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    const std::string index = " index " + std::to_string(i) + " using 1:(100*$2) with ";
    const std::string name = study.name(study.points[i]);
    figure.plot += (i == 0 ? "plot " : ", ") + std::string("'accuracy.dat'") + index +
                   "lines lw 2 " + colour(i) + " notitle, 'accuracy_end.dat'" + index +
                   "points pt 7 ps 1.4 " + colour(i) + " title " + gnuplot_quoted(name);
  }
  return figure;
}

bool has_accuracy(const Study& study) {
  return std::any_of(study.points.begin(), study.points.end(),
                     [](const StudyPoint& point) { return !std::isnan(point.oa.median); });
}

std::vector<Figure> study_figures(const Study& study, const std::string& folder) {
  const bool weak = study.kind == "weak";
  const UnitFigure time =
      weak ? UnitFigure{"time", "training time for the same data a unit (s)", &StudyPoint::train_s,
                        1}
           : UnitFigure{"time", "time for the same data (s)", &StudyPoint::same_data_s, 1};
  std::vector<Figure> figures = {
      unit_figure(study, folder, time),
      unit_figure(study, folder, {"speed", "megapixels a second", &StudyPoint::pixels_per_s, 1e-6}),
      unit_figure(study, folder, {"speed_up", "speed-up", &StudyPoint::speed_up, 1}),
      unit_figure(study, folder, {"efficiency", "efficiency (%)", &StudyPoint::efficiency, 100}),
      shares_figure(study, folder),
      study_phases(study, folder)};
  add_ideal_speed_up(study, figures[2]);
  add_ideal_efficiency(figures[3]);
  if (has_accuracy(study)) figures.push_back(accuracy_figure(study, folder));
  return figures;
}

}  // namespace

std::vector<std::string> draw_study(const Study& study, const std::string& out, std::string& why) {
  if (study.points.empty()) return {};
  const std::string folder = out + "/" + kFiguresFolder;
  make_folder(folder);
  std::vector<std::string> drawn;
  for (const auto& figure : study_figures(study, folder)) {
    const std::string error = draw(folder, figure);
    if (error.empty()) drawn.push_back(figure.name);
    if (why.empty()) why = error;
  }
  return drawn;
}

}  // namespace oida
