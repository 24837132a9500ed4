#include "deck.hpp"

#include <array>
#include <charconv>
#include <filesystem>
#include <functional>
#include <limits>
#include <type_traits>

#include <boost/program_options.hpp>

#include "command_line.hpp"
#include "core/error.hpp"
#include "deck_file.hpp"
#include "io/scene/scene_reader.hpp"
#include "nn/network.hpp"
#include "polsar/features.hpp"

namespace po = boost::program_options;

namespace oida::app {

namespace {

std::string as_text(std::int64_t value) {
  return std::to_string(value);
}
/// Shortest text that reads back as the same number.
std::string as_text(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

template <typename Number>
Number parse_number(const std::string& key, const std::string& text, Number least, Number most) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const std::string allowed = as_text(least) + " to " + as_text(most);
  if (error == std::errc::invalid_argument || stop != end) {
    const std::string kind = std::is_integral_v<Number> ? "a whole number" : "a number";
    throw InputError(key, "'" + text + "' is not " + kind + "; allowed: " + allowed);
  }
  if (error == std::errc{} && value >= least && value <= most) return value;
  throw InputError(key, text + " is out of range; allowed: " + allowed);
}

/// Collects the keys: for parsing, for --help and for the resolved deck.
class Table {
 public:
  template <typename Number>
  void number(const char* key, Number& target, Number fallback, Number least, Number most,
              const std::string& help) {
    const auto take = [=, &target](const std::string& value) {
      target = parse_number(key, value, least, most);
    };
    options_.add_options()(
        key, po::value<std::string>()->default_value(as_text(fallback))->notifier(take),
        help.c_str());
    print_.emplace_back(key, [&target] { return std::vector{as_text(target)}; });
  }

  void text(const char* key, std::string& target, const std::string& fallback,
            const std::string& help) {
    options_.add_options()(key, po::value(&target)->default_value(fallback), help.c_str());
    print_.emplace_back(key, [&target] { return std::vector{target}; });
  }

  void choice(const char* key, std::string& target, const std::vector<std::string>& allowed,
              const std::string& help) {
    std::string names = allowed.front();
    for (std::size_t i = 1; i < allowed.size(); ++i) names += " | " + allowed[i];
    const auto check = [=](const std::string& value) {
      for (const auto& name : allowed) {
        if (value == name) return;
      }
      throw InputError(key, "'" + value + "' is not one of " + names);
    };
    options_.add_options()(key, po::value(&target)->default_value(allowed.front())->notifier(check),
                           (help + ": " + names).c_str());
    print_.emplace_back(key, [&target] { return std::vector{target}; });
  }

  void list(const char* key, std::vector<std::string>& target, const std::string& help) {
    options_.add_options()(key, po::value(&target), (help + " (may repeat)").c_str());
    print_.emplace_back(key, [&target] { return target; });
  }

  const po::options_description& options() const { return options_; }
  std::vector<std::pair<std::string, std::vector<std::string>>> resolved() const {
    std::vector<std::pair<std::string, std::vector<std::string>>> values;
    for (const auto& [key, print] : print_) values.emplace_back(key, print());
    return values;
  }

 private:
  po::options_description options_{"Deck", 110, 55};
  std::vector<std::pair<std::string, std::function<std::vector<std::string>()>>> print_;
};

constexpr std::int64_t kMany = std::numeric_limits<std::int32_t>::max();

void add_scene_keys(Table& table, Deck& deck) {
  auto& scene = deck.scene;
  table.list("scene.path", scene.path, "folder or file of a scene");
  table.list("scene.labels", scene.labels, "labels of the scene at the same place");
  table.choice("scene.format", scene.format, scene_formats(), "how to read the scene");
  table.choice("scene.channels", scene.channels, scene_channels(), "the two of a C2");
  table.text("scene.cache", scene.cache, "", "folder for a chunked copy of the scene, made once");
  table.number<std::int64_t>("scene.rows", scene.rows, 0, 0, kMany, "rows, if the files lack them");
  table.number<std::int64_t>("scene.cols", scene.cols, 0, 0, kMany, "columns, likewise");
  table.number<std::int64_t>("scene.ignore_label", scene.ignore_label, 0, 0, 254,
                             "label id that means: no label");
  table.text("scene.label_attribute", scene.label_attribute, "class",
             "attribute of label polygons (.shp, .gpkg, .geojson) that names the class");
  table.list("scene.class_names", scene.class_names, "names of the label ids, ascending");
  table.list("scene.class_alias", scene.class_alias, "OLD=NEW: rename or merge a class");
}

void add_data_keys(Table& table, Deck& deck) {
  auto& data = deck.data;
  table.text(
      "data.features", data.features, "auto",
      "what the network sees, names with commas between: auto (log_t3, of dual-pol log_c2) | " +
          allowed_features(ChannelPair::none) +
          "; of dual-pol: " + allowed_features(ChannelPair::pp1));
  table.text("data.speckle_filter", data.speckle_filter, "none",
             "none | boxcar:N | refined_lee:N[:LOOKS], over N x N px of the matrices, N odd");
  table.number<std::int64_t>("data.patch_px", data.patch_px, 15, 1, 1025, "side of a patch, odd");
  table.number<std::int64_t>("data.tile_px", data.tile_px, 64, 4, 4096,
                             "side of a tile, in place of a patch where model.output = dense");
  table.number<std::int64_t>("data.tile_shift_px", data.tile_shift_px, 16, 0, 4096,
                             "tiles move at random by so much within their blocks in training");
  table.choice("data.split", data.split, {"checkerboard", "blocks", "random", "file"},
               "what trains and what tests");
  table.list("data.split_file", data.split_file,
             "raster of 0 unused, 1 training, 2 validation, 3 test; with split = file");
  table.number<std::int64_t>("data.block_px", data.block_px, 64, 4, 65536, "side of a block");
  table.text("data.buffer_px", data.buffer_px, "auto",
             "auto | N, rim of a block without samples; auto: no pixel shared between parts");
  table.number("data.validation_share", data.validation_share, 0.1, 0.0, 0.9,
               "share of the training side that validates");
  table.number("data.test_share", data.test_share, 0.3, 0.0, 0.999,
               "share that tests (blocks, random)");
  table.number<std::int64_t>("data.max_per_class", data.max_per_class, 0, 0, std::int64_t{1} << 40,
                             "training samples a class at most, 0 = all");
  table.choice("data.shards", data.shards, {"stratified", "local", "spatial"},
               "how units share samples");
  table.choice("data.shard_weights", data.shard_weights, {"equal", "measured"},
               "sizes of shards and batches; measured: by each unit's speed at the start");
  table.choice("data.augmentation", data.augmentation, {"none", "mirror", "dihedral"},
               "how training patches are varied");
  table.number("data.orientation_deg", data.orientation_deg, 0.0, 0.0, 90.0,
               "training patches are turned about the line of sight by up to so much (log_t3)");
  table.number<std::int64_t>(
      "data.resample_looks", data.resample_looks, 0, 0, 10000,
      "looks of speckle drawn anew in training, 0 = none, else 3 up (log_t3)");
  table.number("data.balanced_share", data.balanced_share, 0.0, 0.0, 1.0,
               "share of a batch drawn with equal class frequency");
  table.number<std::int64_t>("data.seed", data.seed, 1, 0, kMany, "of split and shards");
}

void add_training_keys(Table& table, Deck& deck) {
  auto& model = deck.model;
  table.choice("model.name", model.name, built_in_names(), "built-in network");
  table.list("model.layers", model.layers, "a layer; in place of model.name");
  table.choice("model.output", model.output, {"class", "dense"},
               "the class of a patch's centre, or of each pixel of a tile");
  table.number<std::int64_t>("model.seed", model.seed, 1, 0, kMany, "of the first parameters");
  auto& train = deck.train;
  table.number("train.epochs", train.epochs, 10.0, 0.001, 1e6,
               "passes over the largest shard; with global_batch over all shards");
  table.number<std::int64_t>("train.batch", train.batch, 64, 1, 65536, "samples a step and unit");
  table.number<std::int64_t>("train.global_batch", train.global_batch, 0, 0, 1 << 24,
                             "samples a step over all units, in place of train.batch");
  table.choice("train.optimizer", train.optimizer, {"sgd", "adagrad_window"}, "optimizer");
  table.number("train.learning_rate", train.learning_rate, 0.01, 1e-9, 1e3, "peak learning rate");
  table.number("train.momentum", train.momentum, 0.9, 0.0, 0.9999, "of sgd");
  table.number<std::int64_t>("train.window", train.window, 100, 1, kMany,
                             "steps of adagrad_window's window");
  table.choice("train.schedule", train.schedule, {"one_cycle", "cosine", "constant", "warm_up"},
               "learning rate over the run");
  table.number("train.warm_up", train.warm_up, 0.3, 0.0, 0.9, "rising share of the schedule");
  table.number("train.average_share", train.average_share, 0.0, 0.0, 0.9,
               "last share of the steps whose mean parameters are the last candidate, 0 = none");
  table.number("train.weight_decay", train.weight_decay, 0.0, 0.0, 1.0, "L2 penalty");
  table.choice("train.class_weights", train.class_weights, {"none", "balanced"},
               "weights of the loss by class");
  table.number("train.label_smoothing", train.label_smoothing, 0.0, 0.0, 0.9,
               "share of a label that is spread over all classes");
  table.choice("train.precision", train.precision, {"fp32", "tf32", "bf16"},
               "arithmetic; tf32 on GPUs");
  table.number<std::int64_t>("train.seed", train.seed, 1, 0, kMany, "of batches and dropout");
}

void add_oida_keys(Table& table, Deck& deck) {
  auto& oida = deck.oida;
  table.choice("oida.exchange", oida.exchange, {"oida", "allreduce", "local", "server", "none"},
               "how units share what they learn");
  table.number<std::int64_t>("oida.staleness", oida.staleness, 4, 0, kMany,
                             "of server: steps that a unit may be ahead of the slowest");
  table.choice("oida.momentum", oida.momentum, {"own", "exchanged"},
               "of sgd with oida and local: each unit's own, or averaged as the parameters are");
  table.number("oida.interleave_until", oida.interleave_until, 1.0, 0.0, 1.0,
               "share of the steps after which the interleave is 1");
  table.text(
      "oida.interleave", oida.interleave, "auto",
      "auto (tunes oida; local: 1) | N | plan:RUN.json, steps while an exchange is in flight");
  table.choice("oida.wire", oida.wire, {"auto", "fp32", "bf16", "int8", "int4"},
               "what travels between nodes; auto: fp32 where it hides, else what hides best");
  table.choice("oida.merge", oida.merge, {"mean", "weighted", "best"},
               "what each round merges: the mean by samples, by score, or the best unit alone");
  table.number<std::int64_t>("oida.merge_samples", oida.merge_samples, 256, 1, kMany,
                             "validation samples that every unit scores for weighted and best");
  table.choice("oida.guard", oida.guard, {"on", "off"}, "keep the optimum, roll back to it");
  table.number("oida.guard_factor", oida.guard_factor, 10.0, 1.0, 1e6,
               "a loss above this times the optimum's rolls back");
  table.number<std::int64_t>("oida.guard_retries", oida.guard_retries, 3, 0, 1000,
                             "rollbacks at most");
  table.number<std::int64_t>("oida.validate_every", oida.validate_every, 0, 0, kMany,
                             "steps between validations, 0 = a twentieth of the run, at least 50");
  table.number<std::int64_t>("oida.validate_samples", oida.validate_samples, 2048, 1, kMany,
                             "validation samples over all units at most");
}

void add_run_keys(Table& table, Deck& deck, const std::string& run_dir) {
  auto& device = deck.device;
  table.choice("device.kind", device.kind, {"auto", "cpu", "gpu", "mixed"},
               "where to compute; auto is the CPU; mixed: a GPU for a rank as far as they go");
  table.choice("device.engine", device.engine, {"onednn", "reference"}, "engine on the CPU");
  table.text("device.kernels", device.kernels, "table",
             "table | measure | plan:RUN.json, which kernel runs where");
  table.number<std::int64_t>("device.threads", device.threads, 0, 0, 4096,
                             "threads a rank, 0 = its share of the node's cores");
  table.choice("device.oversubscribe", device.oversubscribe, {"warn", "refuse"},
               "more threads than cores on a node, or ranks than GPUs");
  table.number<std::int64_t>("device.node_ranks", device.node_ranks, 0, 0, 65536,
                             "ranks that share memory as one node, 0 = all of a host");
  table.number<std::int64_t>("device.memory_limit_mb", device.memory_limit_mb, 0, 0, kMany,
                             "memory of a rank at most (on a GPU: of the GPU's), 0 = not limited");
  auto& run = deck.run;
  table.text("run.dir", run.dir, run_dir, "run directory");
  table.number("run.checkpoint_every_s", run.checkpoint_every_s, 300.0, 0.0, 1e9,
               "seconds between checkpoints");
  table.number<std::int64_t>("run.keep", run.keep, 2, 2, 1000, "checkpoints kept");
  table.text("run.resume", run.resume, "auto",
             "auto | no | PATH of a round-N.h5 in its checkpoints");
  table.choice("run.trace", run.trace, {"off", "on"},
               "write trace.json, of 262144 events a rank at most");
  table.number(
      "run.time_limit_s", run.time_limit_s, 0.0, 0.0, 1e9,
      "stop with a checkpoint after this long, 0 = shortly before a Slurm job's end, else never");
  table.number("run.stall_timeout_s", run.stall_timeout_s, 600.0, 0.0, 1e9,
               "end the job when a rank is silent for this long, 0 = never");
  table.choice("run.class_map", run.class_map, {"auto", "on", "off"},
               "map of the whole scene; auto: when it takes under 5 minutes");
  table.choice("run.probabilities", run.probabilities, {"off", "on"},
               "raster of the class probabilities of the whole scene");
  table.choice("run.entropy", run.entropy, {"off", "on"},
               "raster of their entropy: 0 sure, 1 all classes alike");
  table.choice("run.progress", run.progress, {"auto", "bar", "lines", "off"}, "progress output");
  auto& synth = deck.synth;
  table.number<std::int64_t>("synth.rows", synth.rows, 512, 32, 65536, "of the synthetic scene");
  table.number<std::int64_t>("synth.cols", synth.cols, 512, 32, 65536, "of the synthetic scene");
  table.number<std::int64_t>("synth.looks", synth.looks, 4, 1, 1000, "looks of its speckle");
  table.number("synth.texture", synth.texture, 8.0, 0.1, 1e6,
               "order of its gamma texture; larger is smoother");
  table.number<std::int64_t>("synth.field_px", synth.field_px, 40, 4, 4096,
                             "mean size of its fields");
  table.number<std::int64_t>("synth.seed", synth.seed, 1, 0, kMany, "of the synthetic scene");
}

Table make_table(Deck& deck, const std::string& run_dir) {
  Table table;
  add_scene_keys(table, deck);
  add_data_keys(table, deck);
  add_training_keys(table, deck);
  add_oida_keys(table, deck);
  add_run_keys(table, deck, run_dir);
  return table;
}

po::options_description flags() {
  po::options_description flags("Flags", 110, 55);
  flags.add_options()("check", "validate all, print the resolved deck and the plan, and stop")(
      "dry-run", "train two rounds only, in a run directory of its own")(
      "DECK", po::value<std::string>(), "");
  return flags;
}

po::variables_map parse(const std::vector<std::string>& arguments, const Table& table) {
  po::options_description all;
  all.add(table.options()).add(flags());
  auto values = parse_command_line(arguments, all, {"DECK"});
  if (values.count("DECK") == 0) throw InputError("command line", "no deck is named");
  const auto file = values["DECK"].as<std::string>();
  store_deck(file, table.options(), values);
  return values;
}

void resolve_paths(Deck& deck) {
  for (auto& path : deck.scene.path) path = beside_deck(deck, path);
  for (auto& path : deck.scene.labels) path = beside_deck(deck, path);
  for (auto& path : deck.data.split_file) path = beside_deck(deck, path);
  if (!deck.scene.cache.empty()) deck.scene.cache = beside_deck(deck, deck.scene.cache);
  deck.run.dir = beside_deck(deck, deck.run.dir);
  if (deck.run.resume != "auto" && deck.run.resume != "no") {
    deck.run.resume = beside_deck(deck, deck.run.resume);
  }
}

}  // namespace

namespace {

/// Without "..", doubled slashes and the slash at the end.
std::string plain(const std::filesystem::path& path) {
  const auto normal = path.lexically_normal();
  return (normal.has_filename() ? normal : normal.parent_path()).string();
}

}  // namespace

std::string beside_deck(const Deck& deck, const std::string& path) {
  const std::filesystem::path given(path);
  if (given.is_absolute()) return plain(given);
  return plain(std::filesystem::path(deck.folder) / given);
}

Deck read_deck(const std::vector<std::string>& arguments) {
  Deck deck{};
  const Table table = make_table(deck, "");
  const auto values = parse(arguments, table);
  const std::filesystem::path file(values["DECK"].as<std::string>());
  deck.file = file.string();
  deck.folder = std::filesystem::absolute(file).parent_path().string();
  if (deck.run.dir.empty()) deck.run.dir = "runs/" + file.stem().string();
  deck.check = values.count("check") > 0;
  deck.dry_run = values.count("dry-run") > 0;
  resolve_paths(deck);
  deck.resolved = table.resolved();
  return deck;
}

std::string Deck::resolved_ini() const {
  std::string text;
  std::string section;
  for (const auto& [key, values] : resolved) {
    const auto dot = key.find('.');
    if (key.substr(0, dot) != section) {
      section = key.substr(0, dot);
      text += "[" + section + "]\n";
    }
    for (const auto& value : values) text += key.substr(dot + 1) + " = " + value + "\n";
  }
  return text;
}

std::string deck_help() {
  Deck deck{};
  return to_text(make_table(deck, "runs/NAME-OF-DECK").options());
}

}  // namespace oida::app
