// scaling.csv and runs.csv.

#include <array>
#include <charconv>

#include "io/report/study_runs.hpp"

namespace oida {
namespace {

/// Shortest text that reads back as the same number; empty where there is none.
std::string csv(double value) {
  if (!std::isfinite(value)) return "";
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string csv(const Spread& spread) {
  return csv(spread.median) + "," + csv(spread.least) + "," + csv(spread.most);
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

}  // namespace

std::string scaling_csv(const Study& study) {
  std::string text =
      "group,device,exchange,nodes,units_per_node,units,threads,runs,train_s,train_s_min,"
      "train_s_max,same_data_s,same_data_s_min,same_data_s_max,pixels_per_s,pixels_per_s_min,"
      "pixels_per_s_max,speed_up,speed_up_min,speed_up_max,efficiency,efficiency_min,"
      "efficiency_max,time_saved_percent,idle_share,hidden_share,oa,oa_min,oa_max,baseline\n";
  for (const auto& point : study.points) {
    const StudyGroup& group = study.groups[point.group];
    text += group.name + "," + quoted(point.device) + "," + quoted(point.exchange);
    for (const int number : {point.nodes, point.units_per_node, point.units, point.threads,
                             static_cast<int>(point.runs.size())}) {
      text += "," + std::to_string(number);
    }
    for (const Spread* value : {&point.train_s, &point.same_data_s, &point.pixels_per_s,
                                &point.speed_up, &point.efficiency}) {
      text += "," + csv(*value);
    }
    text += "," + csv(point.time_saved_percent()) + "," + csv(point.idle_share.median) + "," +
            csv(point.hidden_share.median) + "," + csv(point.oa) + "," +
            quoted(study.points[group.baseline].label()) + "\n";
  }
  return text;
}

std::string runs_csv(const Study& study) {
  std::string text =
      "run,state,reason,device,exchange,nodes,units,restarts,train_s,samples,pixels_per_s,oa\n";
  for (const auto& run : study.runs) {
    text += quoted(run.name) + "," + run.state + "," + quoted(run.reason);
    if (run.finished()) {
      text += "," + quoted(run.device) + "," + quoted(run.exchange) + "," +
              std::to_string(run.nodes) + "," + std::to_string(run.units) + "," +
              std::to_string(run.restarts) + "," + csv(run.train_s) + "," + csv(run.samples) + "," +
              csv(run.pixels_per_s) + "," + csv(run.oa) + "\n";
    } else {
      text += ",,,,,,,,,\n";
    }
  }
  return text;
}

}  // namespace oida
