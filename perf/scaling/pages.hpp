#pragma once
// What the model says, as files.

#include <string>
#include <vector>

#include "scaling/study.hpp"

namespace oida::perf {

struct Check {
  Measured real;
  double mbit = 0;
  /// Of what the links could carry; found from this very run where `fitted`.
  double link_share = 1;
  bool fitted = false;
  Prediction model;
  double difference() const { return model.step_s / real.step_s() - 1; }
};

struct Point {
  double gbit = 0;
  bool waits_each_step = false;
  int nodes = 1, interleave = 1;
  Prediction model;
  double time_s = 0;
  double efficiency = 1;
};

/// checks.csv.
std::string to_csv(const std::vector<Check>& checks);
/// model.csv.
std::string to_csv(const std::vector<Point>& points);
/// model.md: what went in, checks, a table a network.
std::string to_markdown(const Work& work, double samples, const std::vector<Check>& checks,
                        const std::vector<Point>& points);
/// time, efficiency and idle as SVG and PNG beside their data files; says what went wrong.
std::string draw_model(const std::string& folder, const std::vector<Point>& points);

}  // namespace oida::perf
