// From runs to the points of a table.

#include <algorithm>
#include <set>
#include <tuple>

#include "io/report/study_runs.hpp"

namespace oida {
namespace {

constexpr std::size_t kNoPoint = static_cast<std::size_t>(-1);

std::string counted(int number, const std::string& one, const std::string& many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

/// What places a run in a point, within its group.
auto key_of(const StudyRun& run) {
  const int threads = run.device == "cpu" ? run.threads : 0;
  return std::tuple(run.device, run.exchange, threads, run.units, run.nodes, run.units_per_node);
}

void add_batch(StudyRun& run, const std::string& kind) {
  const double batch = kind == "weak" ? run.global_batch / run.units : run.global_batch;
  std::string text = std::to_string(batch);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  run.equal.emplace_back(kind == "weak" ? "batch a unit" : "batch over all units", text);
}

std::size_t group_of(Study& study, const StudyRun& run) {
  for (std::size_t i = 0; i < study.groups.size(); ++i) {
    if (study.groups[i].equal == run.equal) return i;
  }
  const std::size_t index = study.groups.size();
  const std::string name =
      index < 26 ? std::string(1, static_cast<char>('A' + index)) : std::to_string(index + 1);
  study.groups.push_back({name, kNoPoint, run.equal});
  return index;
}

void add_run(Study& study, const StudyRun& run) {
  const std::size_t group = group_of(study, run);
  for (auto& point : study.points) {
    if (point.group == group && key_of(*point.runs.front()) == key_of(run)) {
      point.runs.push_back(&run);
      return;
    }
  }
  StudyPoint point;
  point.group = group;
  point.device = run.device;
  point.exchange = run.exchange;
  point.nodes = run.nodes;
  point.units = run.units;
  point.units_per_node = run.units_per_node;
  point.threads = run.threads;
  point.runs.push_back(&run);
  study.points.push_back(point);
}

/// Points of one series differ in their number of units and in nothing else; where two had the same
/// number, the units of a node tell them apart.
void name_series(Study& study) {
  const auto plain = [&study](const StudyPoint& point) {
    std::string name = point.device + ", " + point.exchange;
    if (point.device == "cpu")
      name += ", " + counted(point.threads, "thread", "threads") + " a unit";
    return study.groups.size() > 1 ? study.groups[point.group].name + ": " + name : name;
  };
  std::set<std::string> ambiguous;
  std::set<std::pair<std::string, int>> seen;
  for (const auto& point : study.points) {
    if (!seen.emplace(plain(point), point.units).second) ambiguous.insert(plain(point));
  }
  for (auto& point : study.points) {
    point.series = plain(point);
    if (ambiguous.count(point.series) > 0) {
      point.series += ", " + counted(point.units_per_node, "unit", "units") + " a node";
    }
  }
}

bool is_named(const StudyPoint& point, const std::string& name) {
  return point.label() == name ||
         std::any_of(point.runs.begin(), point.runs.end(),
                     [&](const StudyRun* run) { return run->name == name; });
}

/// A point that bears the wanted name, else the fewest units, a CPU before other devices.
auto baseline_order(const StudyPoint& point, const std::string& wanted) {
  const bool named = !wanted.empty() && is_named(point, wanted);
  return std::tuple(!named, point.units, point.device != "cpu", point.nodes, point.series);
}

void choose_baselines(Study& study, const std::string& wanted) {
  bool found = wanted.empty();
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    const StudyPoint& point = study.points[i];
    std::size_t& best = study.groups[point.group].baseline;
    found = found || is_named(point, wanted);
    if (best == kNoPoint ||
        baseline_order(point, wanted) < baseline_order(study.points[best], wanted)) {
      best = i;
    }
  }
  if (!found) study.missing_baseline = wanted;
}

template <typename Value>
Spread spread_over(const StudyPoint& point, const Value& value) {
  std::vector<double> values;
  for (const StudyRun* run : point.runs) values.push_back(value(*run));
  return spread(std::move(values));
}

void measure(StudyPoint& point) {
  point.train_s = spread_over(point, [](const StudyRun& run) { return run.train_s; });
  point.samples_per_s = spread_over(point, [](const StudyRun& run) { return run.samples_per_s; });
  point.pixels_per_s = spread_over(point, [](const StudyRun& run) { return run.pixels_per_s; });
  point.idle_share = spread_over(point, [](const StudyRun& run) { return run.idle_share; });
  point.hidden_share = spread_over(point, [](const StudyRun& run) { return run.hidden_share; });
  point.oa = spread_over(point, [](const StudyRun& run) { return run.oa; });
}

/// How many times longer than `times` the time `base_s` is.
Spread ratio(double base_s, const Spread& times) {
  return {base_s / times.median, base_s / times.most, base_s / times.least};
}

void compare(Study& study) {
  const auto base = [&study](const StudyPoint& point) -> const StudyPoint& {
    return study.points[study.groups[point.group].baseline];
  };
  for (auto& point : study.points) {
    const double data = base(point).middle().samples;
    point.same_data_s =
        spread_over(point, [&](const StudyRun& run) { return run.train_s * data / run.samples; });
  }
  for (auto& point : study.points) {
    point.speed_up = ratio(base(point).same_data_s.median, point.same_data_s);
  }
  for (const auto& indices : study.series()) {
    const StudyPoint& first = study.points[indices.front()];
    for (const std::size_t i : indices) {
      StudyPoint& point = study.points[i];
      const double ideal_s = first.same_data_s.median * first.units / point.units;
      point.efficiency = ratio(ideal_s, point.same_data_s);
    }
  }
}

}  // namespace

Spread spread(std::vector<double> values) {
  values.erase(std::remove_if(values.begin(), values.end(), [](double v) { return std::isnan(v); }),
               values.end());
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return {median, values.front(), values.back()};
}

std::string StudyPoint::label() const {
  return std::to_string(units) + " " + device + " on " + counted(nodes, "node", "nodes");
}

const StudyRun& StudyPoint::middle() const {
  auto ordered = runs;
  std::sort(ordered.begin(), ordered.end(), [](const StudyRun* a, const StudyRun* b) {
    return std::tie(a->train_s, a->name) < std::tie(b->train_s, b->name);
  });
  return *ordered[(ordered.size() - 1) / 2];
}

std::vector<std::string> Study::differences() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; !groups.empty() && i < groups.front().equal.size(); ++i) {
    const auto& value = groups.front().equal[i];
    const bool alike = std::all_of(groups.begin(), groups.end(), [&](const StudyGroup& group) {
      return group.equal[i] == value;
    });
    if (!alike) names.push_back(value.first);
  }
  return names;
}

std::string Study::name(const StudyPoint& point) const {
  const std::string group = groups.size() > 1 ? groups[point.group].name + ": " : "";
  return group + point.label() + ", " + point.exchange;
}

std::vector<std::vector<std::size_t>> Study::series() const {
  std::vector<std::vector<std::size_t>> all;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == 0 || points[i].series != points[i - 1].series) all.emplace_back();
    all.back().push_back(i);
  }
  return all;
}

Study make_study(std::vector<StudyRun> runs, const std::string& kind, const std::string& baseline) {
  Study study;
  study.kind = study_kind(runs, kind);
  study.runs = std::move(runs);
  for (auto& run : study.runs) {
    if (run.finished()) add_batch(run, study.kind);
  }
  for (const auto& run : study.runs) {
    if (run.finished()) add_run(study, run);
  }
  name_series(study);
  std::sort(study.points.begin(), study.points.end(), [](const auto& a, const auto& b) {
    return std::tie(a.group, a.series, a.units, a.nodes) <
           std::tie(b.group, b.series, b.units, b.nodes);
  });
  for (auto& point : study.points) measure(point);
  choose_baselines(study, baseline);
  compare(study);
  return study;
}

}  // namespace oida
