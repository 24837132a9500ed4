// Where the training time went: stacked bars by phase.

#include <array>

#include "io/files.hpp"
#include "io/report/figure_style.hpp"

namespace oida {
namespace {

/// Key in timing.json, what it is, colour.
constexpr std::array<std::array<const char*, 3>, 6> kPhaseColours{
    {{"compute_s", "compute", "#4477aa"},
     {"data_wait_s", "waiting for data", "#ccbb44"},
     {"exposed_s", "exchange, exposed", "#ee6677"},
     {"validate_s", "validation", "#228833"},
     {"checkpoint_s", "checkpoint", "#aa3377"},
     {"other_s", "other", "#bbbbbb"}}};

}  // namespace

std::string number_text(const nlohmann::ordered_json& value) {
  return value.is_number() ? value.dump() : "nan";
}

Figure phases_figure(const std::string& folder, const std::vector<PhaseBar>& bars) {
  std::string data = "rank";
  for (const auto& phase : kPhaseColours) data += std::string(" ") + phase[0];
  data += "\n";
  for (const auto& [label, unit] : bars) {
    data += "\"" + label + "\"";
    for (const auto& phase : kPhaseColours) data.append(" ").append(number_text(unit.at(phase[0])));
    data += "\n";
  }
  write_whole_file(folder + "/phases.dat", data);
  Figure figure{.name = "phases"};
  figure.script = std::string(kGrid) +
                  "set style data histograms\nset style histogram rowstacked\n"
                  "set style fill solid 1.0 noborder\nset boxwidth 0.7\n"
                  "set key outside right top reverse Left invert\n"
                  "set xlabel 'rank'\nset ylabel 'training time (s)'\nset yrange [0:*]\n";
  for (std::size_t i = 0; i < kPhaseColours.size(); ++i) {
    figure.plot += (i == 0 ? "plot 'phases.dat' using " : ", '' using ") + std::to_string(i + 2) +
                   (i == 0 ? ":xtic(1)" : "") + " every ::1 lc rgb '" + kPhaseColours[i][2] +
                   "' title '" + kPhaseColours[i][1] + "'";
  }
  return figure;
}

}  // namespace oida
