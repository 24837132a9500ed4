// timing.json and trace.json.

#include <cmath>

#include <nlohmann/json.hpp>

#include "io/files.hpp"
#include "io/run/run_directory.hpp"

namespace oida {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMicroseconds = 1e6;

Json to_json(const StepTimes& times) {
  return {{"min", times.min_ms},
          {"median", times.median_ms},
          {"p95", times.p95_ms},
          {"max", times.max_ms}};
}

Json to_json(const UnitTiming& unit) {
  return {{"rank", unit.rank},
          {"host", unit.host},
          {"read_s", unit.read_s},
          {"read_bytes", unit.read_bytes},
          {"data_wait_s", unit.data_wait_s},
          {"compute_s", unit.compute_s},
          {"exchange_s", unit.exchange_s},
          {"exposed_s", unit.exposed_s},
          {"validate_s", unit.validate_s},
          {"checkpoint_s", unit.checkpoint_s},
          {"other_s", unit.other_s},
          {"step_ms", to_json(unit.step_ms)}};
}

/// Work in `seconds`; NaN, in JSON null, when no time was measured.
double rate(std::int64_t work, double seconds) {
  return seconds > 0 ? static_cast<double>(work) / seconds : std::nan("");
}

Json lane_name(std::size_t rank, int lane, const char* name) {
  return {{"name", "thread_name"},
          {"ph", "M"},
          {"pid", rank},
          {"tid", lane},
          {"args", {{"name", name}}}};
}

Json to_json(const TraceEvent& event, std::size_t rank) {
  return {{"name", event.name},
          {"ph", "X"},
          {"ts", event.start_s * kMicroseconds},
          {"dur", (event.end_s - event.start_s) * kMicroseconds},
          {"pid", rank},
          {"tid", event.lane}};
}

}  // namespace

std::string to_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json to_json(const Timing& timing) {
  Json out{{"schema", 1},
           {"exchange", timing.exchange},
           {"device", timing.device},
           {"nodes", timing.nodes},
           {"ranks", timing.ranks},
           {"units_per_node", timing.units_per_node},
           {"samples", timing.samples},
           {"pixels", timing.pixels},
           {"train_s", timing.train_s},
           {"startup_s", timing.startup_s},
           {"warmup_s", timing.warmup_s},
           {"samples_per_s", rate(timing.samples, timing.train_s)},
           {"pixels_per_s", rate(timing.pixels, timing.train_s)},
           {"idle_share", timing.idle_share()},
           {"hidden_share", timing.hidden_share()},
           {"imbalance", timing.imbalance()},
           {"exchanges", timing.exchanges},
           {"bytes_per_exchange", timing.bytes_per_exchange},
           {"wire", timing.wire},
           {"interleave", timing.interleave},
           {"per_rank", Json::array()}};
  if (!timing.staleness.empty()) {
    out["staleness"] = {{"mean", timing.mean_staleness()}, {"histogram", timing.staleness}};
  }
  for (const auto& unit : timing.per_rank) out["per_rank"].push_back(to_json(unit));
  return out;
}

/// "Trace Event Format" (Google), complete events ("X") in microseconds, a process a rank.
void write_trace(const std::string& path, const std::vector<std::vector<TraceEvent>>& events) {
  Json all = Json::array();
  for (std::size_t rank = 0; rank < events.size(); ++rank) {
    all.push_back({{"name", "process_name"},
                   {"ph", "M"},
                   {"pid", rank},
                   {"args", {{"name", "rank " + std::to_string(rank)}}}});
    all.push_back(lane_name(rank, 0, "main thread"));
    all.push_back(lane_name(rank, 1, "exchange in flight"));
    for (const auto& event : events[rank]) all.push_back(to_json(event, rank));
  }
  const Json out{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(all)}};
  write_whole_file(path, out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace oida
