#include "io/run/run_directory.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>

#include <nlohmann/json.hpp>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "io/files.hpp"
#include "io/run/run_lock.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

constexpr double kBeatEvery_s = 10;
constexpr const char* kDone = "DONE";
constexpr const char* kFailed = "FAILED";
constexpr const char* kMetrics = "metrics.csv";

bool is_there(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// Shortest text that reads back as the same number.
std::string number(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  std::array<char, 32> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

std::string csv_line(const MetricsRow& row) {
  return std::to_string(row.round) + "," + std::to_string(row.step) + "," +
         std::to_string(row.samples) + "," + number(row.wall_s) + "," + number(row.train_loss) +
         "," + number(row.validation_loss) + "," + number(row.oa) + "," +
         std::to_string(row.interleave) + "," + number(row.learning_rate) + "," +
         (row.optimum ? "1" : "0") + "\n";
}

}  // namespace

RunDirectory::RunDirectory(const std::string& path) : path_(path) {
  try {
    make_folder(path);
    lock_ = std::make_unique<RunLock>(path);
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    throw InputError("run.dir", error.message());
  }
  beaten_s_ = now_s();
}

RunDirectory::~RunDirectory() = default;

std::string RunDirectory::beat() {
  if (now_s() - beaten_s_ < kBeatEvery_s) return "";
  beaten_s_ = now_s();
  return lock_->beat();
}

void RunDirectory::write_text(const std::string& name, const std::string& text) {
  write_whole_file(file(name), text);
}

void RunDirectory::write_json(const std::string& name, const nlohmann::ordered_json& json) {
  write_text(name, to_text(json));
}

void RunDirectory::write_metrics(const std::vector<MetricsRow>& rows) {
  std::string text =
      "round,step,samples,wall_s,train_loss,validation_loss,oa,interleave,learning_rate,"
      "optimum\n";
  for (const auto& row : rows) text += csv_line(row);
  write_text(kMetrics, text);
}

void RunDirectory::mark_done() {
  clear_marks();
  write_text(kDone, "done\n");
}

void RunDirectory::mark_failed(const std::string& reason) {
  write_text(kFailed, reason + "\n");
}

void RunDirectory::clear_marks() {
  std::error_code error;
  fs::remove(file(kFailed), error);
  if (error) throw Error(file(kFailed), "cannot be removed: " + error.message());
}

bool is_done(const std::string& path) {
  return is_there(path + "/" + kDone);
}

bool is_used(const std::string& path) {
  if (is_there(path + "/" + kMetrics)) return true;
  std::error_code error;
  fs::directory_iterator it(path + "/checkpoints", error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    if (it->path().extension() == ".h5") return true;
  }
  return false;
}

}  // namespace oida
