#include "run_record.hpp"

#include <array>
#include <cstring>

#include <nlohmann/json.hpp>

#include "version.hpp"

extern char** environ;

namespace oida::app {

namespace {

using Json = nlohmann::ordered_json;

Json deck_json(const Deck& deck) {
  Json json = Json::object();
  for (const auto& [key, values] : deck.resolved) {
    const auto dot = key.find('.');
    Json& place = json[key.substr(0, dot)][key.substr(dot + 1)];
    place = values.size() == 1 ? Json(values.front()) : Json(values);
  }
  return json;
}

Json slurm_json() {
  Json json = Json::object();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto equals = text.find('=');
    if (text.starts_with("SLURM_")) json[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return json;
}

Json placement_json(const Comm& comm, const ComputePlace& place) {
  Json table = Json::array();
  for (const auto& rank : comm.placement()) {
    const auto index = static_cast<std::size_t>(rank.rank);
    const bool on_gpu = place.is_on_gpu(index);
    const Json uuid = on_gpu ? Json(place.gpu_uuids[index]) : Json(nullptr);
    table.push_back({{"rank", rank.rank},
                     {"host", rank.host},
                     {"node", rank.node},
                     {"node_rank", rank.node_rank},
                     {"cores", place.cores[index]},
                     {"threads", place.threads},
                     {"device", on_gpu ? "gpu" : "cpu"},
                     {"device_uuid", uuid}});
  }
  return table;
}

Json scene_json(const Dataset& data) {
  Json scenes = Json::array();
  for (const auto& scene : data.scenes) {
    const SceneInfo& info = scene->info();
    scenes.push_back({{"path", info.path},
                      {"format", info.format},
                      {"rows", info.rows},
                      {"cols", info.cols},
                      {"georeferenced", info.georeference.present()}});
  }
  return scenes;
}

Json samples_json(const Dataset& data) {
  Json classes = Json::array();
  for (int i = 0; i < data.classes.size(); ++i) {
    const auto index = static_cast<std::size_t>(i);
    classes.push_back({{"name", data.classes.names[index]},
                       {"training", data.split.counts[0][index]},
                       {"validation", data.split.counts[1][index]},
                       {"test", data.split.counts[2][index]}});
  }
  return classes;
}

Json shards_json(const Dataset& data, const TrainingPlan& plan) {
  Json shards = Json::array();
  for (std::size_t unit = 0; unit < data.shard_samples.size(); ++unit) {
    shards.push_back({{"unit", unit},
                      {"samples", data.shard_samples[unit]},
                      {"batch", plan.batches[unit]},
                      {"checksum", data.shard_checksums[unit]},
                      {"classes", data.shard_classes[unit]}});
    if (data.dense()) shards.back()["tiles"] = data.tiles.shard_tiles[unit];
  }
  return shards;
}

}  // namespace

nlohmann::ordered_json run_record(const Comm& comm, const Deck& deck, const Dataset& data,
                                  const TrainingPlan& plan, const Engine& engine,
                                  const ComputePlace& place, std::int64_t restarts) {
  Json json;
  json["schema"] = 1;
  json["deck_file"] = deck.file;
  json["deck"] = deck_json(deck);
  json["versions"] = version_json();
  json["slurm"] = slurm_json();
  json["placement"] = placement_json(comm, place);
  json["scenes"] = scene_json(data);
  const Defects& defects = data.defects;
  json["defects"] = {{"pixels", defects.pixels},
                     {"invalid", defects.invalid},
                     {"negative_power", defects.negative_power},
                     {"zero_power", defects.zero_power},
                     {"not_semidefinite", defects.not_semidefinite}};
  json["split"] = {{"kind", to_string(data.split.kind)}, {"leaky", data.split.leaky()}};
  json["classes"] = samples_json(data);
  json["training_checksum"] = data.checksum;
  json["shards"] = shards_json(data, plan);
  json["network"] = {{"name", engine.network().name},
                     {"layers", to_lines(engine.network())},
                     {"parameters", parameter_count(engine.network())},
                     {"training_mflop_per_sample", training_flops(engine.network()) / 1e6}};
  json["steps"] = {{"total", plan.total_steps},
                   {"per_epoch", plan.steps_per_epoch},
                   {"global_batch", plan.global_batch}};
  json["kernels"] = engine.kernels();
  Json memory = Json::array();
  for (const auto& item : plan.memory)
    memory.push_back({{"what", item.what}, {"bytes", item.bytes}, {"on_gpu", item.on_gpu}});
  json["memory"] = memory;
  std::vector<std::string> warnings = data.warnings;
  warnings.insert(warnings.end(), place.warnings.begin(), place.warnings.end());
  json["warnings"] = warnings;
  json["restarts"] = restarts;
  return json;
}

namespace {

using UnitNumbers = std::array<double, 13>;

UnitNumbers numbers(const UnitTiming& unit) {
  return {unit.read_s,
          unit.data_wait_s,
          unit.compute_s,
          unit.exposed_s,
          unit.validate_s,
          unit.checkpoint_s,
          unit.other_s,
          unit.exchange_s,
          unit.step_ms.min_ms,
          unit.step_ms.median_ms,
          unit.step_ms.p95_ms,
          unit.step_ms.max_ms,
          static_cast<double>(unit.read_bytes)};
}

UnitTiming unit_timing(int rank, const std::string& host, const UnitNumbers& n) {
  UnitTiming unit;
  unit.rank = rank;
  unit.host = host;
  unit.read_s = n[0];
  unit.data_wait_s = n[1];
  unit.compute_s = n[2];
  unit.exposed_s = n[3];
  unit.validate_s = n[4];
  unit.checkpoint_s = n[5];
  unit.other_s = n[6];
  unit.exchange_s = n[7];
  unit.step_ms = {n[8], n[9], n[10], n[11]};
  unit.read_bytes = static_cast<std::int64_t>(n[12]);
  return unit;
}

}  // namespace

Timing gather_timing(Comm& comm, const Trainer& trainer, const std::string& device,
                     double startup_s, const SceneReading& reading, int pixels_per_sample) {
  Timing timing;
  trainer.fill(timing);
  timing.device = device;
  timing.ranks = comm.size();
  timing.nodes = comm.placement().back().node + 1;
  timing.units_per_node = comm.placement().front().node_ranks;
  timing.pixels = timing.samples * pixels_per_sample;
  timing.startup_s = startup_s;
  UnitTiming own = trainer.unit_timing();
  own.read_s = reading.read_s;
  own.read_bytes = reading.bytes;
  const UnitNumbers mine = numbers(own);
  const auto all = comm.gather(std::as_bytes(std::span(mine)));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    UnitNumbers theirs{};
    std::memcpy(theirs.data(), all[rank].data(), sizeof theirs);
    timing.per_rank.push_back(
        unit_timing(static_cast<int>(rank), comm.placement()[rank].host, theirs));
  }
  return timing;
}

std::vector<std::vector<TraceEvent>> gather_trace(Comm& comm,
                                                  const std::vector<TraceEvent>& events) {
  Json packed = Json::array();
  for (const auto& event : events) {
    packed.push_back({event.start_s, event.end_s, event.name, event.lane});
  }
  std::vector<std::vector<TraceEvent>> all;
  for (const auto& text : comm.gather(packed.dump())) {
    auto& rank = all.emplace_back();
    for (const auto& event : Json::parse(text)) {
      rank.push_back({event[0], event[1], event[2], event[3]});
    }
  }
  return all;
}

}  // namespace oida::app
