#include "io/report/report.hpp"

#include <filesystem>
#include <sstream>

#include "core/error.hpp"
#include "io/files.hpp"
#include "io/report/page.hpp"
#include "io/report/report_files.hpp"

namespace oida {
namespace {

std::string text_if_there(const std::string& path) {
  return std::filesystem::exists(path) ? read_whole_file(path) : "";
}

nlohmann::ordered_json json_if_there(const std::string& path) {
  const std::string text = text_if_there(path);
  if (text.empty()) return nullptr;
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object()) throw Error(path, "is no JSON object");
  return json;
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

constexpr std::size_t kMetricsColumns = 10;

std::vector<std::vector<std::string>> read_metrics(const std::string& path) {
  std::istringstream text(text_if_there(path));
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(text, line);  // names of the columns
  while (std::getline(text, line)) {
    rows.push_back(split(line));
    if (rows.back().size() != kMetricsColumns) {
      throw Error(path, "row " + std::to_string(rows.size()) + " has not " +
                            std::to_string(kMetricsColumns) + " columns");
    }
  }
  return rows;
}

}  // namespace

RunFiles read_run_files(const std::string& folder) {
  RunFiles files;
  files.folder = folder;
  files.run = json_if_there(folder + "/run.json");
  files.timing = json_if_there(folder + "/timing.json");
  files.test = json_if_there(folder + "/test.json");
  files.metrics = read_metrics(folder + "/metrics.csv");
  files.failure = text_if_there(folder + "/FAILED");
  return files;
}

void write_run_report(const std::string& run_directory) {
  const RunFiles files = read_run_files(run_directory);
  make_folder(run_directory + "/" + kFiguresFolder);
  try {
    std::string why;
    const auto figures = draw_figures(files, why);
    const std::string text = report_text(files, figures, why);
    write_whole_file(run_directory + "/report.md", text);
    write_page(run_directory + "/report.html", text);
  } catch (const nlohmann::json::exception& error) {
    throw Error(run_directory, std::string("a JSON file is not as expected: ") + error.what());
  }
}

}  // namespace oida
