// The words and tables of scaling.md.

#include <algorithm>
#include <array>

#include "io/report/markdown.hpp"
#include "io/report/report.hpp"
#include "io/report/study_runs.hpp"

namespace oida {
namespace {

using namespace markdown;

/// "1.23 (1.20–1.30)"; the range only where there are repeats.
std::string ranged(const Spread& value, int digits, double factor, std::size_t repeats) {
  const std::string median = fixed(value.median, digits, factor);
  if (repeats < 2 || median == kNone) return median;
  return median + " (" + fixed(value.least, digits, factor) + "–" +
         fixed(value.most, digits, factor) + ")";
}

std::string point_row(const Study& study, const StudyPoint& point) {
  const std::size_t n = point.runs.size();
  const bool base = &point == &study.points[study.groups[point.group].baseline];
  return row({std::to_string(point.units) + (base ? " (baseline)" : ""),
              std::to_string(point.nodes), cell(point.device), cell(point.exchange),
              point.device == "cpu" ? std::to_string(point.threads) : kNone, std::to_string(n),
              ranged(point.same_data_s, 2, 1, n), ranged(point.pixels_per_s, 3, 1e-6, n),
              ranged(point.speed_up, 2, 1, n), ranged(point.efficiency, 1, 100, n),
              fixed(point.time_saved_percent(), 2), ranged(point.idle_share, 2, 100, n),
              ranged(point.hidden_share, 1, 100, n), ranged(point.oa, 2, 100, n)});
}

std::string group_section(const Study& study, std::size_t group) {
  const StudyPoint& base = study.points[study.groups[group].baseline];
  std::string text;
  if (study.groups.size() > 1) text += "### Group " + study.groups[group].name + "\n\n";
  text += "Baseline: " + base.label() + ", " + cell(base.exchange) + " (" +
          cell(base.middle().name) + "); time is for its " + fixed(base.middle().samples, 0) +
          " training samples.\n\n";
  text += head({"units", "nodes", "device", "exchange", "threads a unit", "runs",
                "time for the same data (s)", "megapixels/s", "speed-up", "efficiency (%)",
                "time saved (%)", "idle (%)", "hidden (%)", "OA (%)"});
  for (const auto& point : study.points) {
    if (point.group == group) text += point_row(study, point);
  }
  return text + "\n";
}

/// In what the groups differ, name by name.
std::string differences_section(const Study& study) {
  if (study.groups.size() < 2) return "";
  std::string text =
      "**Not all runs may be compared.** They differ in what must be equal, so each group has its "
      "own baseline and no speed-up is taken across groups:\n\n";
  std::vector<std::string> names = {"differs in"};
  for (const auto& group : study.groups) names.push_back("group " + group.name);
  text += head(names);
  for (const auto& name : study.differences()) {
    std::vector<std::string> cells = {name};
    for (const auto& group : study.groups) {
      for (const auto& [key, value] : group.equal) {
        if (key == name) cells.push_back(cell(value.empty() ? kNone : value));
      }
    }
    text += row(cells);
  }
  return text + "\n";
}

std::string unfinished_section(const Study& study) {
  std::string rows;
  for (const auto& run : study.runs) {
    if (!run.finished()) rows += row({cell(run.name), run.state, cell(run.reason)});
  }
  if (rows.empty()) return "";
  return "## Runs without a result\n\n| run | state | reason |\n|---|---|---|\n" + rows + "\n";
}

std::string runs_section(const Study& study) {
  std::string text = "## Runs\n\n" + head({"run", "point", "restarts", "training (s)", "samples",
                                           "megapixels/s", "OA (%)"});
  for (const auto& point : study.points) {
    for (const StudyRun* run : point.runs) {
      text += row({cell(run->name), cell(study.name(point)), std::to_string(run->restarts),
                   fixed(run->train_s, 2), fixed(run->samples, 0),
                   fixed(run->pixels_per_s, 3, 1e-6), fixed(run->oa, 2, 100)});
    }
  }
  return text + "\n";
}

/// What must hold, from the paper: more machines never take longer.
std::string slower_section(const Study& study) {
  std::string text;
  for (const auto& indices : study.series()) {
    for (std::size_t k = 1; k < indices.size(); ++k) {
      const StudyPoint& before = study.points[indices[k - 1]];
      const StudyPoint& point = study.points[indices[k]];
      if (point.same_data_s.median <= before.same_data_s.median) continue;
      text += "- " + point.label() + " takes longer than " + before.label() + " (" +
              cell(point.series) + "): " + fixed(point.same_data_s.median, 2) + " s, " +
              fixed(before.same_data_s.median, 2) + " s\n";
    }
  }
  return text.empty() ? "" : "## Where more units did not help\n\n" + text + "\n";
}

const StudyPoint* find_point(const Study& study, const StudyPoint& cpu, int factor) {
  for (const auto& point : study.points) {
    if (point.group == cpu.group && point.device != "cpu" && point.exchange == cpu.exchange &&
        point.nodes == cpu.nodes && point.units == factor * cpu.units) {
      return &point;
    }
  }
  return nullptr;
}

std::string paper_row(const Study& study, const StudyPoint& cpu, int factor, const char* paper,
                      const char* saved, const char* faster) {
  const StudyPoint* gpu = find_point(study, cpu, factor);
  if (gpu == nullptr) return row({paper, saved, faster, "not run", kNone, kNone});
  const double ratio = cpu.same_data_s.median / gpu->same_data_s.median;
  return row({paper, saved, faster, gpu->label() + " against " + cpu.label(),
              fixed(100 * (1 - 1 / ratio), 2), fixed(ratio, 2)});
}

/// Multimedia Tools and Applications 81 (2022) 11587-11604, abstract: 4 machines with 4 GPUs save
/// 65.61 %, with 8 GPUs 83.32 % of the time of 4 machines with 4 CPU cores.
std::string paper_section(const Study& study) {
  std::string text;
  for (const auto& cpu : study.points) {
    const bool compared =
        find_point(study, cpu, 1) != nullptr || find_point(study, cpu, 2) != nullptr;
    if (cpu.device != "cpu" || !compared) continue;
    text += head({"the paper's row", "time saved (%)", "times faster", "here", "time saved (%)",
                  "times faster"});
    text += row({"4 machines, 4 CPU cores", "0", "1", cpu.label(), "0", "1"});
    text += paper_row(study, cpu, 1, "4 machines, 4 GPUs", "65.61", "2.91");
    text += paper_row(study, cpu, 2, "4 machines, 8 GPUs", "83.32", "6.00") + "\n";
  }
  if (text.empty()) return "";
  return "## CPU and GPU, beside the paper\n\n"
         "The paper's figures are its authors', for other hardware: Multimedia Tools and "
         "Applications 81 (2022) 11587-11604, doi 10.1007/s11042-022-12292-6.\n\n" +
         text;
}

std::string figures_section(const std::vector<std::string>& figures) {
  constexpr std::array<std::array<const char*, 2>, 7> kTitles{
      {{"time", "training time by units"},
       {"speed", "megapixels a second by units"},
       {"speed_up", "speed-up by units, with the ideal line"},
       {"efficiency", "efficiency by units"},
       {"phases", "training time of each rank by phase"},
       {"shares", "idle and hidden share by units"},
       {"accuracy", "accuracy against training time"}}};
  std::string text;
  for (const auto& [name, title] : kTitles) {
    const bool drawn = std::find(figures.begin(), figures.end(), name) != figures.end();
    if (drawn) text += picture(title, std::string(kFiguresFolder) + "/" + name + ".png");
  }
  return text.empty() ? "" : "## Figures\n\n" + text;
}

}  // namespace

std::string scaling_text(const Study& study, const std::vector<std::string>& figures,
                         const std::string& why) {
  const auto finished = std::count_if(study.runs.begin(), study.runs.end(),
                                      [](const StudyRun& run) { return run.finished(); });
  std::string text = "# " + cell(study.title) + "\n\n" + std::to_string(finished) + " of " +
                     std::to_string(study.runs.size()) + " runs finished; " + study.kind +
                     " scaling (the same batch " +
                     (study.kind == "weak" ? "a unit" : "over all units") +
                     "). Repeats are given as median (least–most).\n\n";
  if (!why.empty()) text += "Figures are missing: " + why + ".\n\n";
  text += unfinished_section(study);
  if (study.points.empty()) return text;
  text += "## Table\n\n";
  if (!study.missing_baseline.empty()) {
    text += "**The baseline '" + cell(study.missing_baseline) +
            "' has no result**; the one named below stands in.\n\n";
  }
  text += differences_section(study);
  for (std::size_t group = 0; group < study.groups.size(); ++group) {
    text += group_section(study, group);
  }
  return text + slower_section(study) + paper_section(study) + figures_section(figures) +
         runs_section(study);
}

}  // namespace oida
