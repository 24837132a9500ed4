#pragma once
// What a report is made from: the files of a run directory, as far as they are there.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace oida {

struct RunFiles {
  std::string folder;
  nlohmann::ordered_json run, timing, test;       // null when the file is not there
  std::vector<std::vector<std::string>> metrics;  // rows of metrics.csv without its head
  std::string failure;                            // text of FAILED
};

/// Error naming a file that is there and cannot be understood.
RunFiles read_run_files(const std::string& folder);

/// Draws what the files allow; returns the names of the figures and puts what went wrong, if
/// anything did, into `why`.
std::vector<std::string> draw_figures(const RunFiles& files, std::string& why);

/// The whole report.md.
std::string report_text(const RunFiles& files, const std::vector<std::string>& figures,
                        const std::string& why);

}  // namespace oida
