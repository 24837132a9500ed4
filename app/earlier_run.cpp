#include "earlier_run.hpp"

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace oida::app {

namespace {

using Json = nlohmann::ordered_json;

Json read_json(const std::string& file) {
  std::ifstream stream(file);
  return Json::parse(stream, nullptr, false);
}

template <typename T>
T recorded(const std::string& key, const std::string& file, const char* field) {
  const Json json = read_json(file);
  if (!json.is_object() || !json.contains(field)) {
    throw InputError(key, file + " is not a run.json with '" + field + "'");
  }
  try {
    T value = json[field].get<T>();
    if (value.empty()) throw InputError(key, file + ": '" + field + "' is empty");
    return value;
  } catch (const nlohmann::json::exception&) {
    throw InputError(key, file + ": '" + field + "' has not the form that a run writes");
  }
}

}  // namespace

std::int64_t restarts_in(const std::string& run_directory) {
  const std::string file = run_directory + "/run.json";
  if (!std::filesystem::exists(file)) return 0;
  const Json json = read_json(file);
  const bool counts =
      json.is_object() && json.contains("restarts") && json["restarts"].is_number_integer();
  return counts ? json["restarts"].get<std::int64_t>() + 1 : 1;
}

std::vector<std::int64_t> batches_in(const std::string& run_directory) {
  const std::string file = run_directory + "/run.json";
  if (!std::filesystem::exists(file)) return {};
  const Json json = read_json(file);
  std::vector<std::int64_t> batches;
  if (!json.is_object() || !json.contains("shards") || !json["shards"].is_array()) return {};
  for (const Json& shard : json["shards"]) {
    const bool named = shard.is_object() && shard.contains("batch") &&
                       shard["batch"].is_number_integer() && shard["batch"].get<std::int64_t>() > 0;
    if (!named) return {};
    batches.push_back(shard["batch"].get<std::int64_t>());
  }
  return batches;
}

InterleavePlan recorded_interleave(const std::string& run_json) {
  return recorded<InterleavePlan>("oida.interleave", run_json, "interleave_plan");
}

WirePlan recorded_wires(const std::string& run_json) {
  using Named = std::vector<std::pair<std::int64_t, std::string>>;
  WirePlan plan;
  for (const auto& [round, name] : recorded<Named>("oida.wire", run_json, "wire_plan")) {
    plan.emplace_back(round, wire_of(name));
  }
  return plan;
}

std::vector<std::string> recorded_kernels(const std::string& run_json) {
  return recorded<std::vector<std::string>>("device.kernels", run_json, "kernels");
}

}  // namespace oida::app
