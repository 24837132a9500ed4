#include "scaling/pages.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "io/files.hpp"
#include "io/report/figure_style.hpp"
#include "io/report/markdown.hpp"

namespace oida::perf {
namespace {

std::string line(const char* format, auto... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

const char* exchange_name(bool waits_each_step) {
  return waits_each_step ? "allreduce" : "oida";
}

std::string number(double value, int digits) {
  return markdown::fixed(value, digits);
}

std::string check_table(const std::vector<Check>& checks) {
  std::string text =
      markdown::head({"links (Mbit/s)", "nodes", "exchange", "interleave", "step, real (ms)",
                      "step, model (ms)", "difference (%)", "idle, real (%)", "idle, model (%)"});
  for (const Check& check : checks) {
    const Measured& real = check.real;
    text += markdown::row(
        {number(check.mbit, 0), std::to_string(real.nodes), exchange_name(real.waits_each_step),
         std::to_string(real.interleave), number(100 * check.link_share, 0),
         number(1e3 * real.step_s(), 1), number(1e3 * check.model.step_s, 1),
         check.fitted ? "fitted" : line("%+.1f", 100 * check.difference()),
         number(100 * real.idle_share, 1), number(100 * check.model.idle_share, 1)});
  }
  return text + "\n";
}

std::string network_table(double gbit, const std::vector<Point>& points) {
  std::string text = "### " + number(gbit, 0) + " Gbit/s\n\n";
  text += markdown::head({"nodes", "interleave", "oida: time (s)", "idle (%)", "efficiency (%)",
                          "allreduce: time (s)", "idle (%)", "efficiency (%)"});
  for (const Point& oida : points) {
    if (oida.gbit != gbit || oida.waits_each_step) continue;
    const auto other = std::ranges::find_if(points, [&](const Point& point) {
      return point.gbit == gbit && point.waits_each_step && point.nodes == oida.nodes;
    });
    std::vector<std::string> cells = {std::to_string(oida.nodes), std::to_string(oida.interleave)};
    for (const Point* point : {&oida, &*other}) {
      cells.push_back(number(point->time_s, 2));
      cells.push_back(number(100 * point->model.idle_share, 2));
      cells.push_back(number(100 * point->efficiency, 1));
    }
    text += markdown::row(cells);
  }
  return text + "\n";
}

std::vector<double> networks(const std::vector<Point>& points) {
  std::vector<double> all;
  for (const Point& point : points) {
    if (std::ranges::find(all, point.gbit) == all.end()) all.push_back(point.gbit);
  }
  return all;
}

Figure figure_of(const std::string& name, const std::string& axis, const std::string& scale,
                 const std::vector<Point>& points, auto value, const std::string& folder) {
  Figure figure{.name = name, .height = 560};
  figure.script = std::string(kGrid) + "set key tmargin left vertical maxrows " +
                  std::to_string(networks(points).size()) +
                  " reverse Left\nset logscale x 2\nset xlabel 'nodes'\nset ylabel '" + axis +
                  "'\nset offsets graph 0.02, graph 0.02, 0, 0\n" + scale;
  figure.height += kKeyLine_px * static_cast<int>(networks(points).size());
  std::string data;
  std::size_t curve = 0;
  for (const bool waits : {false, true}) {
    for (std::size_t n = 0; n < networks(points).size(); ++n, ++curve) {
      const double gbit = networks(points)[n];
      data += (curve == 0 ? "" : "\n\n");
      for (const Point& point : points) {
        if (point.gbit != gbit || point.waits_each_step != waits) continue;
        data += std::to_string(point.nodes) + " " + std::to_string(value(point)) + "\n";
      }
      figure.plot += (curve == 0 ? "plot '" : ", '") + name + ".dat' index " +
                     std::to_string(curve) + " with linespoints lw 2 ps 0.8 " +
                     (waits ? "pt 6 dt 2 " : "pt 7 ") + colour(n) + " title '" +
                     exchange_name(waits) + ", " + number(gbit, 0) + " Gbit/s'";
    }
  }
  write_whole_file(folder + "/" + name + ".dat", data);
  return figure;
}

}  // namespace

std::string to_csv(const std::vector<Check>& checks) {
  std::string table =
      "run,mbit_per_s,nodes,exchange,interleave,fitted,link_share,step_ms,model_step_ms,difference_"
      "percent,"
      "idle_percent,model_idle_percent\n";
  for (const Check& check : checks) {
    const Measured& real = check.real;
    table +=
        line("%s,%.0f,%d,%s,%d,%d,%.3f,%.3f,%.3f,%.2f,%.2f,%.2f\n", real.name.c_str(), check.mbit,
             real.nodes, exchange_name(real.waits_each_step), real.interleave, check.fitted ? 1 : 0,
             check.link_share, 1e3 * real.step_s(), 1e3 * check.model.step_s,
             100 * check.difference(), 100 * real.idle_share, 100 * check.model.idle_share);
  }
  return table;
}

std::string to_csv(const std::vector<Point>& points) {
  std::string table =
      "gbit_per_s,exchange,nodes,interleave,step_ms,exchange_ms,time_s,efficiency_percent,"
      "idle_percent,hidden_percent\n";
  for (const Point& point : points) {
    table +=
        line("%.0f,%s,%d,%d,%.4f,%.4f,%.4f,%.2f,%.3f,%.2f\n", point.gbit,
             exchange_name(point.waits_each_step), point.nodes, point.interleave,
             1e3 * point.model.step_s, 1e3 * point.model.exchange_s, point.time_s,
             100 * point.efficiency, 100 * point.model.idle_share, 100 * point.model.hidden_share);
  }
  return table;
}

std::string to_markdown(const Work& work, double samples, const std::vector<Check>& checks,
                        const std::vector<Point>& points) {
  double worst = 0;
  for (const Check& check : checks) {
    if (!check.fitted) worst = std::max(worst, std::abs(check.difference()));
  }
  std::string text = "# The training loop on many nodes\n\n";
  text += "Predicted by `oida_scaling_model` from runs of `measure.sh`, a unit a node: a step " +
          number(1e3 * work.step_s, 2) + " ms (spread " + number(100 * work.spread, 1) + " %), " +
          std::to_string(work.polls) + " polls; merge " + number(1e3 * work.merge_s, 2) +
          " ms; a message " + number(1e6 * work.message_s, 1) + " us and " +
          number(1e9 * work.byte_s, 2) + " ns a byte.\n\n";
  if (!checks.empty()) {
    text +=
        "## Real runs beside the model\n\nNodes with networks of their own on one machine of "
        "two cores; largest difference " +
        number(100 * worst, 1) + " %.\n\n" + check_table(checks);
  }
  text += "## 1 to many nodes\n\nTime for " + number(samples, 0) +
          " samples, the same batch a unit. Efficiency: time of a step on one node against that "
          "here.\n\n![time](time.png)\n\n![efficiency](efficiency.png)\n\n![idle share](idle.png)"
          "\n\n";
  for (const double gbit : networks(points)) text += network_table(gbit, points);
  return text;
}

std::string draw_model(const std::string& folder, const std::vector<Point>& points) {
  const std::array<Figure, 3> figures = {
      figure_of(
          "time", "time for the same data (s)", "set logscale y\n", points,
          [](const Point& point) { return point.time_s; }, folder),
      figure_of(
          "efficiency", "efficiency (%)", "set yrange [0:105]\n", points,
          [](const Point& point) { return 100 * point.efficiency; }, folder),
      figure_of(
          "idle", "idle share (%)", "set yrange [0:100]\n", points,
          [](const Point& point) { return 100 * point.model.idle_share; }, folder)};
  std::string why;
  for (const Figure& figure : figures) {
    const std::string error = draw(folder, figure);
    if (why.empty()) why = error;
  }
  return why;
}

}  // namespace oida::perf
