// oida inspect: what a scene is, and whether train would take it.

#include <algorithm>
#include <array>
#include <complex>
#include <iomanip>
#include <map>
#include <optional>
#include <sstream>

#include <nlohmann/json.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "io/scene/labels.hpp"
#include "io/scene/scene_reader.hpp"
#include "polsar/features.hpp"

namespace po = boost::program_options;

namespace oida::app {

namespace {

using Json = nlohmann::ordered_json;

struct InspectOptions {
  std::string scene, labels, format = "auto", channels = "auto";
  int rows = 0, cols = 0;
  bool json = false, help = false;
};

po::options_description inspect_flags(InspectOptions& options) {
  po::options_description flags("oida inspect SCENE [--labels FILE] [--json]", 100, 50);
  flags.add_options()("labels", po::value(&options.labels),
                      "label raster to check against the scene")(
      "scene.format", po::value(&options.format), "auto, or the reader's name")(
      "scene.channels", po::value(&options.channels), "auto | pp1 | pp2 | pp3 | rh_rv, of a C2")(
      "scene.rows", po::value(&options.rows), "rows, if the files lack them")(
      "scene.cols", po::value(&options.cols), "columns, likewise")("json", "as JSON")(
      "help", "this text")("SCENE", po::value(&options.scene), "folder or file of a scene");
  return flags;
}

InspectOptions read_options(const Arguments& arguments) {
  InspectOptions options;
  const auto flags = inspect_flags(options);
  auto values = parse_command_line(arguments, flags, {"SCENE"});
  po::notify(values);
  options.json = values.count("json") > 0;
  options.help = values.count("help") > 0;
  if (!options.help && options.scene.empty()) {
    throw InputError("command line", "inspect needs a SCENE");
  }
  return options;
}

/// Every pixel is looked at, strip by strip.
struct Audit {
  Defects defects;
  std::map<std::string, double> mean_power;  // of valid pixels, by diagonal element or channel
  std::optional<double> reciprocity;         // of S2: <|HV - VH|^2> / <|HV|^2 + |VH|^2>
};

/// Sums over valid pixels.
using Sums = std::map<std::string, double>;

void add_matrix(const MatrixWindow& window, Sums& sums) {
  for (const std::size_t element : diagonal(window.kind)) {
    double& sum = sums[std::string(elements(window.kind)[element])];
    for (std::size_t i = 0; i < window.pixels(); ++i) {
      if (window.valid[i] != 0) sum += static_cast<double>(window.plane(element)[i]);
    }
  }
}

/// Of S2: the powers of its channels, and kDifference, that of HV - VH.
constexpr const char* kDifference = "HV-VH";

void add_scattering(const MatrixWindow& window, Sums& sums) {
  constexpr std::array<const char*, 4> kNames = {"HH", "HV", "VH", "VV"};
  for (std::size_t i = 0; i < window.pixels(); ++i) {
    if (window.valid[i] == 0) continue;
    std::array<std::complex<double>, 4> s;
    for (std::size_t c = 0; c < s.size(); ++c) {
      s[c] = {window.plane(2 * c)[i], window.plane(2 * c + 1)[i]};
      sums[kNames[c]] += std::norm(s[c]);
    }
    sums[kDifference] += std::norm(s[1] - s[2]);
  }
}

Audit audit_scene(SceneSource& scene) {
  constexpr int kStripRows = 64;
  Audit result;
  const SceneInfo& info = scene.info();
  Sums sums;
  for (int row = 0; row < info.rows; row += kStripRows) {
    const MatrixWindow window =
        scene.read({row, 0, std::min(kStripRows, info.rows - row), info.cols});
    result.defects += window.defects;
    (info.kind == MatrixKind::s2 ? add_scattering : add_matrix)(window, sums);
  }
  if (info.kind == MatrixKind::s2) {
    const double cross = sums["HV"] + sums["VH"];
    if (cross > 0) result.reciprocity = sums[kDifference] / cross;
    sums.erase(kDifference);
  }
  const auto valid = static_cast<double>(result.defects.pixels - result.defects.invalid);
  for (const auto& [name, sum] : sums) result.mean_power[name] = valid > 0 ? sum / valid : 0;
  return result;
}

Json describe_scene(const SceneInfo& info, const Audit& audit) {
  Json json;
  json["scene"] = info.path;
  json["format"] = info.format;
  json["rows"] = info.rows;
  json["cols"] = info.cols;
  if (info.kind == MatrixKind::c2) json["channels"] = name(info.pair);
  json["features"] = allowed_features(info.pair);
  json["georeferenced"] = info.georeference.present();
  json["pixels"] = audit.defects.pixels;
  json["invalid"] = audit.defects.invalid;
  json["negative_power"] = audit.defects.negative_power;
  json["zero_power"] = audit.defects.zero_power;
  json["not_semidefinite"] = audit.defects.not_semidefinite;
  json["mean_power"] = audit.mean_power;
  if (audit.reciprocity) json["reciprocity"] = *audit.reciprocity;
  json["notes"] = info.notes;
  return json;
}

Json describe_labels(const LabelRaster& labels) {
  std::map<int, std::int64_t> counts;
  for (const auto id : labels.ids) ++counts[id];
  Json ids = Json::array();
  for (const auto& [id, count] : counts) {
    Json entry{{"id", id}, {"pixels", count}};
    if (labels.names.contains(id)) entry["name"] = labels.names.at(id);
    ids.push_back(entry);
  }
  return {{"path", labels.path}, {"ids", ids}};
}

std::string text_of(const Json& json) {
  std::ostringstream text;
  text << "scene   " << json["scene"].get<std::string>() << "\nformat  "
       << json["format"].get<std::string>() << "\nsize    " << json["rows"] << " rows x "
       << json["cols"] << " columns\nground  "
       << (json["georeferenced"].get<bool>() ? "georeferenced" : "no credible georeference")
       << "\naudit   " << json["pixels"] << " pixels: " << json["invalid"] << " invalid, "
       << json["negative_power"] << " with negative power, " << json["zero_power"]
       << " with zero power, " << json["not_semidefinite"]
       << " not positive semi-definite\npower  ";
  for (const auto& [name, mean] : json["mean_power"].items()) {
    text << ' ' << name << ' ' << std::setprecision(4) << mean.get<double>();
  }
  if (json.contains("reciprocity")) {
    text << "\nHV, VH  power of their difference against theirs: "
         << json["reciprocity"].get<double>() << " (0 is reciprocal)";
  }
  text << "\nallows  data.features = " << json["features"].get<std::string>() << '\n';
  for (const auto& note : json["notes"]) text << "note    " << note.get<std::string>() << '\n';
  if (!json.contains("labels")) return text.str();
  text << "labels  " << json["labels"]["path"].get<std::string>() << '\n';
  for (const auto& entry : json["labels"]["ids"]) {
    text << std::setw(11) << entry["id"].get<int>() << std::setw(12)
         << entry["pixels"].get<std::int64_t>() << "  " << entry.value("name", "") << '\n';
  }
  return text.str();
}

}  // namespace

Exit inspect(Comm& comm, const Arguments& arguments) {
  const auto text = collectively(comm, [&]() -> std::string {
    const auto options = read_options(arguments);
    if (options.help) {
      InspectOptions unused;
      return to_text(inspect_flags(unused));
    }
    if (comm.rank() != 0) return "";
    const auto scene = open_scene(options.scene, {options.format, options.rows, options.cols,
                                                  channel_pair(options.channels)});
    Json json = describe_scene(scene->info(), audit_scene(*scene));
    if (!options.labels.empty()) {
      json["labels"] =
          describe_labels(read_labels(options.labels, scene->info().rows, scene->info().cols));
    }
    if (json["pixels"] == json["invalid"]) {
      throw InputError(options.scene, "no pixel has a valid matrix");
    }
    return options.json ? json.dump(2) + "\n" : text_of(json);
  });
  say(comm, text);
  return Exit::done;
}

}  // namespace oida::app
