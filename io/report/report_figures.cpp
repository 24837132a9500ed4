// The figures of a report and the data files that they are drawn from.

#include <algorithm>

#include "io/files.hpp"
#include "io/report/figure_style.hpp"
#include "io/report/gnuplot.hpp"
#include "io/report/report.hpp"
#include "io/report/report_files.hpp"

namespace oida {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSamples = 2, kTrainLoss = 4, kValidationLoss = 5, kOa = 6, kOptimum = 9;

Figure loss_figure(const RunFiles& files) {
  std::string data = "# samples, train loss, validation loss, OA, OA of the optimum\n";
  std::string optimum = "nan";
  for (const auto& row : files.metrics) {
    data +=
        row[kSamples] + " " + row[kTrainLoss] + " " + row[kValidationLoss] + " " + row[kOa] + "\n";
    if (row[kOptimum] == "1") optimum = row[kSamples] + " " + row[kOa];
  }
  const std::string folder = files.folder + "/" + kFiguresFolder;
  write_whole_file(folder + "/loss.dat", data);
  write_whole_file(folder + "/optimum.dat", optimum + "\n");
  Figure figure{.name = "loss"};
  figure.script = std::string(kGrid) +
                  "set key outside top center horizontal\n"
                  "set xlabel 'training samples seen by all units (thousands)'\n"
                  "set ylabel 'cross-entropy loss'\nset yrange [0:*]\n"
                  "set y2label 'overall accuracy (%)'\nset y2range [0:100]\nset y2tics 10\n"
                  "set ytics nomirror\nset rmargin 9\n";
  figure.plot =
      "plot 'loss.dat' using ($1/1000):2 with lines lw 2 lc rgb '#4477aa' title 'training loss', "
      "'' using ($1/1000):3 with linespoints lw 2 pt 7 ps 0.5 lc rgb '#ee6677' title 'validation "
      "loss', "
      "'' using ($1/1000):(100*$4) axes x1y2 with linespoints lw 2 pt 5 ps 0.5 lc rgb '#228833' "
      "title 'validation accuracy', "
      "'optimum.dat' using ($1/1000):(100*$2) axes x1y2 with points pt 6 ps 2 lw 2 lc rgb "
      "'#222222' "
      "title 'optimum'";
  return figure;
}

std::vector<PhaseBar> rank_bars(const Json& timing) {
  std::vector<PhaseBar> bars;
  for (const auto& unit : timing.at("per_rank")) {
    bars.emplace_back(number_text(unit.at("rank")), unit);
  }
  return bars;
}

/// Each row of the confusion matrix in percent of its true class; nan where that has no sample.
std::string confusion_data(const Json& confusion) {
  std::string data;
  for (const auto& row : confusion) {
    double total = 0;
    for (const auto& count : row) total += count.get<double>();
    for (const auto& count : row) {
      data += total > 0 ? std::to_string(100 * count.get<double>() / total) + " " : "nan ";
    }
    data += "\n";
  }
  return data;
}

std::string tics(const std::string& axis, const Json& classes, const std::string& more) {
  std::string out = "set " + axis + " " + more + " (";
  for (std::size_t c = 0; c < classes.size(); ++c) {
    out += (c == 0 ? "" : ", ") + gnuplot_quoted(classes[c].at("name").get<std::string>()) + " " +
           std::to_string(c);
  }
  return out + ")\n";
}

Figure confusion_figure(const RunFiles& files) {
  const Json& classes = files.test.at("classes");
  write_whole_file(files.folder + "/" + kFiguresFolder + "/confusion.dat",
                   confusion_data(files.test.at("confusion")));
  const int side = 46 * static_cast<int>(classes.size());
  Figure figure{.name = "confusion", .width = 360 + side, .height = 260 + side};
  const std::string last = std::to_string(static_cast<double>(classes.size()) - 0.5);
  figure.script =
      "unset key\nset size ratio -1\nset border lc rgb '#555555'\n"
      "set palette defined (0 '#ffffff', 15 '#cfe1f2', 50 '#6aaed6', 100 '#08306b')\n"
      "set cbrange [0:100]\nset cblabel 'share of the true class (%)'\n"
      "set xlabel 'predicted class'\nset ylabel 'true class'\n"
      "set xrange [-0.5:" +
      last + "]\nset yrange [" + last + ":-0.5]\n" +
      tics("xtics", classes, "rotate by 45 right scale 0") + tics("ytics", classes, "scale 0");
  const std::string cell =
      "'' matrix using 1:2:($3 >= 0.05 && ($3 PICK 50) ? sprintf($3 < 9.95 ? '%.1f' : '%.0f', $3) "
      ": '') with labels font ',10' textcolor rgb ";
  const auto picked = [&cell](const std::string& comparison, const std::string& colour) {
    std::string text = cell;
    return text.replace(text.find("PICK"), 4, comparison) + "'" + colour + "'";
  };
  figure.plot = "plot 'confusion.dat' matrix using 1:2:3 with image pixels, " +
                picked("<", "#222222") + ", " + picked(">=", "#ffffff");
  return figure;
}

/// The first scene's blocks where they lie, coloured by the share of their samples that is right.
Figure blocks_figure(const RunFiles& files) {
  std::string data = "# column, row, right (%), columns, rows\n";
  double rows = 0, cols = 0;
  for (const auto& block : files.test.at("blocks")) {
    if (block.at("scene") != 0) continue;
    const auto value = [&block](const char* key) { return block.at(key).get<double>(); };
    rows = std::max(rows, value("row") + value("rows"));
    cols = std::max(cols, value("col") + value("cols"));
    data += std::to_string(value("col")) + " " + std::to_string(value("row")) + " " +
            std::to_string(100 * value("correct") / value("samples")) + " " +
            std::to_string(value("cols")) + " " + std::to_string(value("rows")) + "\n";
  }
  write_whole_file(files.folder + "/" + kFiguresFolder + "/blocks.dat", data);
  Figure figure{.name = "blocks"};
  figure.script =
      "unset key\nset size ratio -1\nset border lc rgb '#555555'\n"
      "set palette defined (0 '#b2182b', 80 '#f4a582', 95 '#d1e5f0', 100 '#2166ac')\n"
      "set cbrange [0:100]\nset cblabel 'test samples of the block that are right (%)'\n"
      "set xlabel 'column (px)'\nset ylabel 'row (px)'\nset style fill solid border lc rgb "
      "'#ffffff'\nset xrange [0:" +
      std::to_string(cols) + "]\nset yrange [" + std::to_string(rows) + ":0]\n";
  figure.plot = "plot 'blocks.dat' using 1:2:1:($1+$4):2:($2+$5):3 with boxxyerror fc palette";
  return figure;
}

bool has_blocks(const Json& test) {
  const auto found = test.find("blocks");
  return found != test.end() &&
         std::ranges::any_of(*found, [](const Json& block) { return block.at("scene") == 0; });
}

}  // namespace

std::vector<std::string> draw_figures(const RunFiles& files, std::string& why) {
  std::vector<Figure> figures;
  if (!files.metrics.empty()) figures.push_back(loss_figure(files));
  if (!files.timing.is_null() && !files.timing.at("per_rank").empty()) {
    figures.push_back(phases_figure(files.folder + "/" + kFiguresFolder, rank_bars(files.timing)));
  }
  if (!files.test.is_null()) {
    figures.push_back(confusion_figure(files));
    if (has_blocks(files.test)) figures.push_back(blocks_figure(files));
  }
  std::vector<std::string> drawn;
  for (const auto& figure : figures) {
    const std::string error = draw(files.folder + "/" + kFiguresFolder, figure);
    if (error.empty()) drawn.push_back(figure.name);
    if (why.empty()) why = error;
  }
  return drawn;
}

}  // namespace oida
