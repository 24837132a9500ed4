#pragma once
// What the figures of a run and of a study share.

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "io/report/gnuplot.hpp"

namespace oida {

inline constexpr const char* kGrid =
    "set grid back lc rgb '#dddddd' lw 1 dt 1\nset border lc rgb '#555555'\n";

/// Height of an entry of the key.
inline constexpr int kKeyLine_px = 20;

/// Of curve i: its colour, and the dashes and points with which colours come again.
std::string colour(std::size_t i);
std::string dash(std::size_t i);
std::string mark(std::size_t i);

/// A bar: what stands below it and an entry of timing.json's per_rank.
using PhaseBar = std::pair<std::string, nlohmann::ordered_json>;

/// Writes <folder>/phases.dat; the figure "phases" of stacked bars.
Figure phases_figure(const std::string& folder, const std::vector<PhaseBar>& bars);

/// A number for a data file; "nan" for anything else.
std::string number_text(const nlohmann::ordered_json& value);

}  // namespace oida
