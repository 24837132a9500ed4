// The figures of a study and the data files that they are drawn from.

#include <algorithm>
#include <set>

#include "io/files.hpp"
#include "io/report/figure_style.hpp"
#include "io/report/report.hpp"
#include "io/report/study_runs.hpp"

namespace oida {
namespace {

/// Bars that can stand beside each other with their labels.
constexpr std::size_t kBars = 48;
/// From this many units on, the axis of units is logarithmic.
constexpr int kManyUnits = 32;

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

std::set<int> numbers_of_units(const Study& study) {
  std::set<int> units;
  for (const auto& point : study.points) units.insert(point.units);
  return units;
}

bool has_many_units(const Study& study) {
  return *numbers_of_units(study).rbegin() >= kManyUnits;
}

std::string unit_axis(const Study& study) {
  const std::set<int> units = numbers_of_units(study);
  std::string script =
      "set xlabel 'computing units'\nset offsets graph 0.04, graph 0.04, graph 0.03, 0\n";
  if (has_many_units(study)) script += "set logscale x 2\n";
  std::string tics;
  for (const int n : units) tics += (tics.empty() ? "" : ", ") + std::to_string(n);
  if (units.size() <= 12) script += "set xtics (" + tics + ")\n";
  return script;
}

/// A curve a series: solid, or `dashed` where it stands beside a solid one of the same colour.
std::string curves(const Study& study, const std::string& file, bool dashed,
                   const std::string& what) {
  std::string plot;
  const auto all = study.series();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string title = study.points[all[i].front()].series + what;
    plot += (i == 0 ? "" : ", ") + gnuplot_quoted(file) + " index " + std::to_string(i) +
            " using 1:2:3:4 with yerrorlines lw 2 ps 0.8 " + mark(i) +
            (dashed ? "dt 3 " : dash(i)) + colour(i) + " title " + gnuplot_quoted(title);
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
  figure.plot = "plot " + curves(study, file, false, "");
  return figure;
}

void add_ideal(Figure& figure, const std::string& function, const std::string& title) {
  figure.height += kKeyLine_px;
  figure.plot +=
      ", " + function + " with lines lw 1.5 dt 2 lc rgb '#222222' title " + gnuplot_quoted(title);
}

/// The ideal lines of time and speed-up are those of the first group: in proportion to the units
/// of its baseline.
void add_ideals(const Study& study, Figure& speed_up, Figure& efficiency) {
  const StudyPoint& base = study.points[study.groups.front().baseline];
  if (numbers_of_units(study).size() > 1) {
    add_ideal(speed_up, "x / " + std::to_string(base.units) + ".0",
              "ideal: as many times the speed of " + study.name(base) + " as units");
  }
  add_ideal(efficiency, "100", "ideal");
}

/// Over many units, what grows or falls with them is seen as a share.
void scale_with_units(const Study& study, std::vector<Figure>& figures) {
  if (!has_many_units(study)) return;
  for (Figure& figure : figures) {
    figure.script +=
        "set yrange [*:*]\nset logscale y\nset offsets graph 0.04, graph 0.04, "
        "graph 0.04, graph 0.04\n";
  }
}

Figure shares_figure(const Study& study, const std::string& folder) {
  write_whole_file(folder + "/idle.dat", unit_data(study, &StudyPoint::idle_share, 100));
  write_whole_file(folder + "/hidden.dat", unit_data(study, &StudyPoint::hidden_share, 100));
  Figure figure{.name = "shares"};
  figure.height += 2 * kKeyLine_px * static_cast<int>(study.series().size());
  figure.script = figure_script(study, "share (%)") + "set yrange [0:105]\n";
  figure.plot = "plot " + curves(study, "idle.dat", false, ": idle") + ", " +
                curves(study, "hidden.dat", true, ": hidden");
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
  figure.script += "set bmargin " + std::to_string(1 + longest / 3) + "\n";
  figure.script += "set xtics rotate by 90 right font ',10'\nset xlabel ''\n";
  return figure;
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
      unit_figure(study, folder, {"speed_up", "speed-up", &StudyPoint::speed_up, 1})};
  scale_with_units(study, figures);
  figures.push_back(
      unit_figure(study, folder, {"efficiency", "efficiency (%)", &StudyPoint::efficiency, 100}));
  add_ideals(study, figures[2], figures[3]);
  figures.push_back(shares_figure(study, folder));
  figures.push_back(study_phases(study, folder));
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
