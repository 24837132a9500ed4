// oida predict: the class map of a whole scene by a trained model.

#include <algorithm>
#include <filesystem>
#include <optional>

#include <unistd.h>

#include "command_line.hpp"
#include "commands.hpp"
#include "io/run/model_file.hpp"
#include "io/scene/scene_reader.hpp"
#include "placement.hpp"
#include "scene_map.hpp"

namespace po = boost::program_options;

namespace oida::app {

namespace {

struct PredictOptions {
  std::string model, scene, format = "auto", channels = "auto", engine = "onednn";
  MapFiles files;
  int threads = 0, rows = 0, cols = 0;
  bool help = false;
};

po::options_description predict_flags(PredictOptions& options) {
  po::options_description flags("oida predict MODEL.h5 SCENE --out MAP.tif", 100, 50);
  flags.add_options()("out", po::value(&options.files.classes),
                      "GeoTIFF of class numbers, 0 = no data")(
      "png", po::value(&options.files.picture), "picture of the map as well")(
      "probabilities", po::value(&options.files.probabilities),
      "GeoTIFF of class probabilities, a band a class")(
      "entropy", po::value(&options.files.entropy),
      "GeoTIFF of their entropy: 0 sure, 1 all classes alike")(
      "scene.format", po::value(&options.format), "auto, or the reader's name")(
      "scene.channels", po::value(&options.channels), "auto | pp1 | pp2 | pp3 | rh_rv, of a C2")(
      "scene.rows", po::value(&options.rows), "rows, if the files lack them")(
      "scene.cols", po::value(&options.cols), "columns, likewise")(
      "device.threads", po::value(&options.threads), "threads a rank, 0 = share of the cores")(
      "device.engine", po::value(&options.engine), "onednn | reference")("help", "this text")(
      "MODEL", po::value(&options.model), "model.h5 of a run directory")(
      "SCENE", po::value(&options.scene), "scene whose matrices give the model's features");
  return flags;
}

PredictOptions read_options(const Arguments& arguments) {
  PredictOptions options;
  const auto flags = predict_flags(options);
  auto values = parse_command_line(arguments, flags, {"MODEL", "SCENE"});
  po::notify(values);
  options.help = values.count("help") > 0;
  if (options.help) return options;
  if (options.model.empty() || options.scene.empty() || options.files.classes.empty()) {
    throw InputError("command line", "predict needs MODEL.h5, SCENE and --out MAP.tif");
  }
  return options;
}

std::string help() {
  PredictOptions unused;
  return to_text(predict_flags(unused));
}

/// Asked before any work: the map's folder is there and can be written.
void require_place(const std::string& map) {
  const auto folder = std::filesystem::absolute(map).parent_path();
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    throw InputError(map, folder.string() + " is no folder");
  }
  if (access(folder.c_str(), W_OK) != 0) {
    throw InputError(map, folder.string() + " cannot be written");
  }
}

}  // namespace

Exit predict(Comm& comm, const Arguments& arguments) {
  const auto options = collectively(comm, [&] { return read_options(arguments); });
  if (options.help) {
    say(comm, help());
    return Exit::done;
  }
  require_one_job(comm);
  Model model;
  std::unique_ptr<SceneSource> scene;
  std::unique_ptr<Engine> engine;
  DeviceOptions device;
  device.threads = options.threads;
  device.engine = options.engine;
  const ComputePlace place = place_ranks(comm, device);
  collectively(comm, [&] {
    const MapFiles& files = options.files;
    for (const auto& file : {files.classes, files.picture, files.probabilities, files.entropy}) {
      if (comm.rank() == 0 && !file.empty()) require_place(file);
    }
    model = read_model(options.model);
    scene = open_scene(options.scene, {options.format, options.rows, options.cols,
                                       channel_pair(options.channels)});
    require_fit(model.recipe, scene->info().kind, scene->info().pair, options.scene);
    const int batch = model.network.output == Output::dense ? 1 : 64;
    engine = make_engine(model.network, engine_options(device, place, batch));
  });
  AlignedVector<float> parameters(engine->flat_size());
  engine->import_flat(model.parameters, parameters);
  write_map(comm, *engine, parameters, model, *scene, options.files);
  say(comm, "class map " + options.files.classes + ": " + std::to_string(scene->info().rows) +
                " x " + std::to_string(scene->info().cols) + " px, " +
                std::to_string(model.classes.size()) + " classes" +
                (scene->info().georeference.present() ? ", georeferenced\n"
                                                      : ", the scene has no georeference\n"));
  return Exit::done;
}

}  // namespace oida::app
