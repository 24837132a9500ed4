// Reading the runs of a study.

#include "io/report/study_runs.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/error.hpp"
#include "io/report/markdown.hpp"
#include "io/run/checkpoint_name.hpp"
#include "io/run/run_directory.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using markdown::member;

std::string path_text(const Json& json, std::initializer_list<const char*> keys) {
  Json at = json;
  for (const char* key : keys) at = member(at, key);
  if (at.is_null()) return "";
  return at.is_string() ? at.get<std::string>() : at.dump();
}

double number(const Json& object, const char* key) {
  const Json value = member(object, key);
  return value.is_number() ? value.get<double>() : NAN;
}

int whole(const Json& object, const char* key, int fallback) {
  const Json value = member(object, key);
  return value.is_number_integer() ? value.get<int>() : fallback;
}

/// The last of the reasons that a run may give for having no result.
std::string unfinished_reason(const RunFiles& files) {
  std::string text = "not finished";
  const std::string total = path_text(files.run, {"steps", "total"});
  constexpr std::size_t kStep = 1;
  if (!files.metrics.empty() && !total.empty()) {
    text += ": step " + files.metrics.back()[kStep] + " of " + total + " at the last validation";
  }
  std::int64_t newest = -1;
  for (const auto& name : checkpoint_names(files.folder + "/checkpoints")) {
    if (!name.part && name.unit == kCommon) newest = std::max(newest, name.round);
  }
  text += newest < 0 ? ", no checkpoint" : ", checkpoint of round " + std::to_string(newest);
  if (fs::exists(files.folder + "/lock")) text += ", the lock is held: running or killed";
  return text;
}

std::vector<std::pair<std::string, std::string>> what_must_be_equal(const RunFiles& files) {
  const auto deck = [&](const char* section, const char* key) {
    return path_text(files.run, {"deck", section, key});
  };
  return {{"training samples", path_text(files.run, {"training_checksum"})},
          {"features", deck("data", "features")},
          {"speckle filter", deck("data", "speckle_filter")},
          {"output", deck("model", "output")},
          {"patch", deck("data", "patch_px")},
          {"tile", deck("data", "tile_px")},
          {"augmentation", deck("data", "augmentation")},
          {"network", path_text(files.run, {"network", "layers"})},
          {"precision", deck("train", "precision")},
          {"optimizer", deck("train", "optimizer")},
          {"engine", deck("device", "engine")}};
}

void take_timing(StudyRun& run) {
  const Json& timing = run.files.timing;
  run.exchange = path_text(timing, {"exchange"});
  run.device = path_text(timing, {"device"});
  run.nodes = whole(timing, "nodes", 1);
  run.units = whole(timing, "ranks", 1);
  run.units_per_node = whole(timing, "units_per_node", 1);
  run.samples = number(timing, "samples");
  run.train_s = number(timing, "train_s");
  run.warmup_s = number(timing, "warmup_s");
  run.samples_per_s = number(timing, "samples_per_s");
  run.pixels_per_s = number(timing, "pixels_per_s");
  run.idle_share = number(timing, "idle_share");
  run.hidden_share = number(timing, "hidden_share");
  run.oa = number(run.files.test, "oa");
  run.restarts = whole(run.files.run, "restarts", 0);
  run.global_batch = number(member(run.files.run, "steps"), "global_batch");
  const Json placement = member(run.files.run, "placement");
  if (placement.is_array() && !placement.empty()) {
    run.threads = whole(placement.front(), "threads", 1);
  }
  run.equal = what_must_be_equal(run.files);
}

/// Whether timing.json and run.json hold what the tables are made from.
std::string lacking(const StudyRun& run) {
  if (!(run.train_s > 0) || !(run.samples > 0)) return "timing.json names no time or no samples";
  if (!(run.global_batch > 0)) return "run.json names no batch";
  if (!run.files.timing.at("per_rank").is_array()) return "timing.json has no ranks";
  return "";
}

void judge(StudyRun& run, const std::string& folder) {
  run.state = "unfinished";
  if (!fs::is_directory(folder)) {
    run.reason = "no such folder: the run never started";
    return;
  }
  run.files = read_run_files(folder);
  if (!run.files.failure.empty()) {
    run.state = "failed";
    run.reason = run.files.failure;
  } else if (!is_done(folder)) {
    run.reason = unfinished_reason(run.files);
  } else if (run.files.timing.is_null() || run.files.run.is_null()) {
    run.state = "failed";
    run.reason = "is marked DONE without timing.json or run.json";
  } else {
    take_timing(run);
    run.reason = lacking(run);
    run.state = run.reason.empty() ? "finished" : "failed";
  }
}

StudyRun read_run(const std::string& folder) {
  StudyRun run;
  try {
    judge(run, folder);
  } catch (const Error& error) {
    run.state = "failed";
    run.reason = error.message();
  } catch (const nlohmann::json::exception& error) {
    run.state = "failed";
    run.reason = std::string("a JSON file is not as expected: ") + error.what();
  }
  while (!run.reason.empty() && run.reason.back() == '\n') run.reason.pop_back();
  return run;
}

std::string last_part(const std::string& folder) {
  return fs::path(folder + "/").lexically_normal().parent_path().filename().string();
}

}  // namespace

std::vector<StudyRun> read_study_runs(const std::vector<std::string>& folders) {
  std::multiset<std::string> names;
  for (const auto& folder : folders) names.insert(last_part(folder));
  std::vector<StudyRun> runs;
  for (const auto& folder : folders) {
    runs.push_back(read_run(folder));
    const std::string name = last_part(folder);
    runs.back().name = names.count(name) == 1 && !name.empty() ? name : folder;
  }
  return runs;
}

std::string study_kind(const std::vector<StudyRun>& runs, const std::string& wanted) {
  if (wanted != "auto") return wanted;
  std::set<double> of_all, of_a_unit;
  for (const auto& run : runs) {
    if (!run.finished()) continue;
    of_all.insert(run.global_batch);
    of_a_unit.insert(run.global_batch / run.units);
  }
  return of_a_unit.size() < of_all.size() ? "weak" : "strong";
}

}  // namespace oida
