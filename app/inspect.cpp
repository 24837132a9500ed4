// oida inspect: what a scene is, and whether train would take it.

#include <iomanip>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "io/scene/labels.hpp"
#include "io/scene/scene_reader.hpp"
#include "polsar/features.hpp"
#include "scene_audit.hpp"

namespace po = boost::program_options;

namespace oida::app {

namespace {

using Json = nlohmann::ordered_json;

struct InspectOptions {
  std::string scene, labels, attribute = "class", format = "auto", channels = "auto";
  int rows = 0, cols = 0;
  bool json = false, help = false;
};

po::options_description inspect_flags(InspectOptions& options) {
  po::options_description flags("oida inspect SCENE [--labels FILE] [--json]", 100, 50);
  flags.add_options()("labels", po::value(&options.labels), "labels to check against the scene")(
      "scene.format", po::value(&options.format), "auto, or the reader's name")(
      "scene.label_attribute", po::value(&options.attribute),
      "attribute of label polygons that names the class")(
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
  for (const auto& [name, power] : audit.power) json["mean_power"][name] = power.mean;
  if (audit.reciprocity) json["reciprocity"] = *audit.reciprocity;
  json["findings"] = findings(info.kind, audit);
  json["read_s"] = audit.read_s;
  json["read_bytes"] = audit.read_bytes;
  json["notes"] = info.notes;
  return json;
}

Json describe_labels(const LabelRaster& labels, const std::string& doubt) {
  std::map<int, std::int64_t> counts;
  for (const auto id : labels.ids) ++counts[id];
  Json ids = Json::array();
  for (const auto& [id, count] : counts) {
    Json entry{{"id", id}, {"pixels", count}};
    if (labels.names.contains(id)) entry["name"] = labels.names.at(id);
    ids.push_back(entry);
  }
  Json json{{"path", labels.path}, {"ids", ids}};
  if (!doubt.empty()) json["doubt"] = doubt;
  return json;
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
  text << "read    " << std::setprecision(3) << json["read_bytes"].get<double>() / 1e6 << " MB in "
       << json["read_s"].get<double>() << " s\n";
  for (const auto& found : json["findings"]) text << "found   " << found.get<std::string>() << '\n';
  for (const auto& note : json["notes"]) text << "note    " << note.get<std::string>() << '\n';
  if (!json.contains("labels")) return text.str();
  text << "labels  " << json["labels"]["path"].get<std::string>() << '\n';
  if (json["labels"].contains("doubt")) {
    text << "doubt   " << json["labels"]["doubt"].get<std::string>() << '\n';
  }
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
    const SceneInfo& info = scene->info();
    LabelFit fit(info.rows, info.cols);
    Json json = describe_scene(info, audit_scene(*scene, fit));
    if (!options.labels.empty()) {
      const LabelRaster labels = read_labels(options.labels, info, options.attribute);
      json["labels"] = describe_labels(labels, fit.doubt(labels));
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
