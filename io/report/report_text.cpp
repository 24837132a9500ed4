// The words and tables of report.md.

#include <algorithm>
#include <filesystem>

#include "io/report/markdown.hpp"
#include "io/report/report.hpp"
#include "io/report/report_files.hpp"

namespace oida {
namespace {

using Json = nlohmann::ordered_json;
using namespace markdown;

std::string figure(const std::vector<std::string>& figures, const std::string& name,
                   const std::string& title) {
  const bool drawn = std::find(figures.begin(), figures.end(), name) != figures.end();
  return drawn ? picture(title, std::string(kFiguresFolder) + "/" + name + ".png") : "";
}

std::string status(const RunFiles& files) {
  if (!files.failure.empty()) return "failed: " + cell(files.failure);
  if (files.test.is_null()) return "not finished: there is no test result yet";
  std::string text =
      "complete: trained in " + fixed(member(files.timing, "train_s"), 1) + " s and tested";
  const Json restarts = member(files.run, "restarts");
  if (restarts.is_number_integer() && restarts.get<int>() > 0) {
    text += ", restarted " + restarts.dump() + " time(s)";
  }
  return text;
}

std::string accuracy(const Json& test) {
  const Json split = member(test, "split");
  std::string text = "## Accuracy on the test part\n\n";
  text += head(
      {"overall (OA)", "average (AA)", "kappa", "macro F1", "mean IoU", "test samples", "split"});
  text +=
      row({percent(member(test, "oa")), percent(member(test, "aa")),
           fixed(member(test, "kappa"), 4), percent(member(test, "f1_macro")),
           percent(member(test, "miou")), cell(member(test, "n")), cell(member(split, "kind"))});
  if (member(split, "leaky") == true) {
    text +=
        "\nThis accuracy is optimistic: single pixels were split at random, so patches of the "
        "training and the test part overlap and share pixels. Use a split by blocks to judge "
        "how the model does elsewhere.\n";
  }
  text += '\n';
  text += head({"class", "test samples", "recall", "precision", "F1", "IoU"});
  for (const auto& entry : test.at("classes")) {
    text += row({cell(member(entry, "name")), cell(member(entry, "samples")),
                 percent(member(entry, "recall")), percent(member(entry, "precision")),
                 percent(member(entry, "f1")), percent(member(entry, "iou"))});
  }
  return text + "\n";
}

double share_right(const Json& block) {
  return block.at("correct").get<double>() / block.at("samples").get<double>();
}

/// How even the accuracy is over the blocks of the split: one lucky field does not make a figure.
std::string accuracy_by_block(const Json& test) {
  const Json found = member(test, "blocks");
  if (!found.is_array() || found.size() < 2) return "";
  std::vector<Json> blocks(found.begin(), found.end());
  std::ranges::stable_sort(blocks, {}, share_right);
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(blocks.size() - 1);
    return percent(share_right(blocks[static_cast<std::size_t>(place + 0.5)]));
  };
  std::string text = "## Accuracy by block\n\n";
  text += head({"blocks with test samples", "OA", "standard error of OA, by block", "lowest block",
                "10 % of blocks below", "median block"});
  text += row({std::to_string(blocks.size()), percent(member(test, "oa")),
               percent(member(test, "oa_standard_error")), at(0), at(0.1), at(0.5)});
  text += "\nThe five lowest:\n\n" + head({"scene", "row", "column", "test samples", "OA"});
  for (std::size_t i = 0; i < std::min<std::size_t>(5, blocks.size()); ++i) {
    const Json& block = blocks[i];
    text += row({std::to_string(block.at("scene").get<int>() + 1), cell(member(block, "row")),
                 cell(member(block, "col")), cell(member(block, "samples")),
                 percent(share_right(block))});
  }
  return text + "\n";
}

std::string ranks_table(const Json& timing) {
  std::string text =
      head({"rank", "host", "compute (s)", "data wait (s)", "exposed (s)", "validation (s)",
            "checkpoint (s)", "other (s)", "exchange in flight (s)", "reading (s)", "read (MB)",
            "step, median (ms)", "step, 95 % (ms)"});
  for (const auto& unit : timing.at("per_rank")) {
    const Json step = member(unit, "step_ms");
    text += row({cell(member(unit, "rank")), cell(member(unit, "host")),
                 fixed(member(unit, "compute_s"), 2), fixed(member(unit, "data_wait_s"), 2),
                 fixed(member(unit, "exposed_s"), 2), fixed(member(unit, "validate_s"), 2),
                 fixed(member(unit, "checkpoint_s"), 2), fixed(member(unit, "other_s"), 2),
                 fixed(member(unit, "exchange_s"), 2), fixed(member(unit, "read_s"), 2),
                 fixed(member(unit, "read_bytes"), 1, 1e-6), fixed(member(step, "median"), 2),
                 fixed(member(step, "p95"), 2)});
  }
  return text;
}

/// "1.50 in the mean, 7 at most": the histogram's last bin holds all beyond, too.
std::string staleness(const Json& late) {
  const Json histogram = member(late, "histogram");
  std::size_t most = 0;
  for (std::size_t k = 0; k < histogram.size(); ++k) {
    if (histogram[k] != 0) most = k;
  }
  return fixed(member(late, "mean"), 2) + " in the mean, " + std::to_string(most) + " at most";
}

std::string timing_section(const Json& timing) {
  std::string text = "## Time\n\n" + head({"", "value"});
  const auto line = [&text](const char* name, const std::string& value) {
    text += row({name, value});
  };
  line("exchange, device",
       cell(member(timing, "exchange")) + ", " + cell(member(timing, "device")));
  line("nodes, ranks", cell(member(timing, "nodes")) + ", " + cell(member(timing, "ranks")));
  line("training", fixed(member(timing, "train_s"), 2, 1, " s"));
  line("start-up, warm-up", fixed(member(timing, "startup_s"), 2, 1, " s") + ", " +
                                fixed(member(timing, "warmup_s"), 2, 1, " s"));
  line("samples/s", fixed(member(timing, "samples_per_s"), 0));
  line("megapixels/s", fixed(member(timing, "pixels_per_s"), 3, 1e-6));
  line("idle share (waiting for the exchange)", percent(member(timing, "idle_share")));
  line("hidden share of the exchange", percent(member(timing, "hidden_share")));
  line("imbalance of compute time", percent(member(timing, "imbalance")));
  line("exchanges", cell(member(timing, "exchanges")) + " of " +
                        cell(member(timing, "bytes_per_exchange")) + " bytes, wire " +
                        cell(member(timing, "wire")) + ", interleave " +
                        cell(member(timing, "interleave")));
  if (timing.contains("staleness")) {
    line("staleness (gradients of others that came before)", staleness(timing["staleness"]));
  }
  return text + "\n" + ranks_table(timing) + "\n";
}

std::string warnings(const RunFiles& files) {
  std::string text;
  for (const Json* source : {&files.run, &files.test}) {
    for (const auto& warning : member(*source, "warnings")) {
      const std::string line = std::string("- ").append(cell(warning)).append("\n");
      if (text.find(line) == std::string::npos) text += line;
    }
  }
  return text.empty() ? "" : "## Warnings\n\n" + text + "\n";
}

/// The recall of each class below the samples that the units trained on: what shards that differ
/// cost is seen where it arises.
std::string recalls(const Json& test, std::size_t classes) {
  const Json scores = member(test, "classes");
  if (!scores.is_array() || scores.size() != classes) return "";
  std::vector<std::string> cells{"recall in the test"};
  for (const auto& entry : scores) cells.push_back(percent(member(entry, "recall")));
  return row(cells);
}

std::string share_of(const Json& samples, const Json& all) {
  const bool counted = samples.is_number() && all.is_number() && all.get<double>() > 0;
  if (!counted) return cell(samples);
  return cell(samples) + " (" + fixed(samples.get<double>() / all.get<double>(), 1, 100, " %)");
}

/// Training samples of each class and unit.
std::string shards(const Json& run, const Json& test) {
  const Json units = member(run, "shards");
  const Json classes = member(run, "classes");
  if (!units.is_array() || units.empty() || !classes.is_array()) return "";
  if (!member(units.front(), "classes").is_array()) return "";
  std::vector<std::string> names{"unit"};
  for (const auto& entry : classes) names.push_back(cell(member(entry, "name")));
  std::string text =
      "## Shards\n\nTraining samples by unit and class, and their share of the unit's.\n\n" +
      head(names);
  for (const auto& unit : units) {
    std::vector<std::string> cells{cell(member(unit, "unit"))};
    for (const auto& samples : member(unit, "classes")) {
      cells.push_back(share_of(samples, member(unit, "samples")));
    }
    text += row(cells);
  }
  return text + recalls(test, classes.size()) + "\n";
}

/// run.json's placement, whatever columns it has.
std::string placement(const Json& run) {
  const Json table = member(run, "placement");
  if (!table.is_array() || table.empty() || !table.front().is_object()) return "";
  std::vector<std::string> names;
  for (const auto& item : table.front().items()) names.push_back(item.key());
  std::string text = "## Placement\n\n" + head(names);
  for (const auto& entry : table) {
    std::vector<std::string> cells;
    for (const auto& name : names) cells.push_back(cell(member(entry, name)));
    text += row(cells);
  }
  return text + "\n";
}

/// Pictures of scene after scene, for as long as there are some.
std::string pictures(const RunFiles& files) {
  std::string text;
  const auto add = [&](const std::string& name, const char* title) {
    const bool is_there = std::filesystem::exists(files.folder + "/" + name);
    if (is_there) text += picture(title, name);
    return is_there;
  };
  for (int scene = 1;; ++scene) {
    const std::string ending =
        scene == 1 ? ".png" : std::string("-").append(std::to_string(scene)).append(".png");
    const bool quicklook = add(kQuicklookStem + ending, "Pauli RGB: red T22, green T33, blue T11");
    const bool classes = add(kClassPictureStem + ending, "class map");
    if (!quicklook && !classes) break;
  }
  return text.empty() ? "" : "## Pictures\n\n" + text;
}

}  // namespace

std::string report_text(const RunFiles& files, const std::vector<std::string>& figures,
                        const std::string& why) {
  const auto name = std::filesystem::path(files.folder + "/").lexically_normal().parent_path();
  std::string text = "# Run " + name.filename().string() + "\n\nStatus: " + status(files) + ".\n\n";
  if (!why.empty()) text += "Figures are missing: " + why + ".\n\n";
  text += warnings(files);
  if (!files.test.is_null()) text += accuracy(files.test);
  text += figure(figures, "confusion", "confusion matrix");
  if (!files.test.is_null()) text += accuracy_by_block(files.test);
  text += figure(figures, "blocks", "accuracy by block of the first scene");
  text += figure(figures, "loss", "loss and accuracy");
  if (!files.timing.is_null()) text += timing_section(files.timing);
  text += figure(figures, "phases", "training time of each rank by phase");
  return text + shards(files.run, files.test) + placement(files.run) + pictures(files);
}

}  // namespace oida
