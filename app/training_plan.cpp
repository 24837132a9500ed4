#include "training_plan.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <numeric>
#include <optional>
#include <sstream>

#include "core/error.hpp"
#include "earlier_run.hpp"
#include "job_limit.hpp"
#include "oida/area_predictor.hpp"

namespace oida::app {

namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

std::vector<float> balanced_weights(const Split& split) {
  const auto& counts = split.counts[static_cast<std::size_t>(Part::training)];
  const auto present = std::count_if(counts.begin(), counts.end(), [](auto n) { return n > 0; });
  const auto total = static_cast<double>(split.training.size());
  std::vector<float> weights;
  for (const auto n : counts) {
    const double weight =
        n > 0 ? total / (static_cast<double>(present) * static_cast<double>(n)) : 0;
    weights.push_back(static_cast<float>(weight));
  }
  return weights;
}

std::string megabytes(std::int64_t bytes) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << static_cast<double>(bytes) / 1e6 << " MB";
  return text.str();
}

void check_merge(const Deck& deck, const Dataset& data) {
  if (merge_kind(deck.oida.merge) == MergeKind::mean) return;
  if (exchange_kind(deck.oida.exchange) != ExchangeKind::oida) {
    throw InputError("oida.merge", deck.oida.merge + " is for exchange = oida, this run has " +
                                       deck.oida.exchange);
  }
  if (data.common.empty()) {
    throw InputError("oida.merge", deck.oida.merge +
                                       " scores validation samples, and the split has none; "
                                       "allowed without them: mean");
  }
}

void check_wire(const Deck& deck) {
  const std::string& wire = deck.oida.wire;
  if (exchange_kind(deck.oida.exchange) != ExchangeKind::server) return;
  if (wire == "auto" || wire == "fp32") return;
  throw InputError("oida.wire", wire + " is not for exchange = server; allowed: auto, fp32");
}

void check_momentum(const Deck& deck) {
  if (deck.oida.momentum == "own") return;
  const auto kind = exchange_kind(deck.oida.exchange);
  if (kind != ExchangeKind::oida && kind != ExchangeKind::local) {
    throw InputError("oida.momentum", "exchanged is for exchange = oida or local, this run has " +
                                          deck.oida.exchange);
  }
  if (deck.train.optimizer != "sgd" || deck.train.momentum == 0.0) {
    throw InputError("oida.momentum", "exchanged is for train.optimizer = sgd with a momentum");
  }
}

/// Arrays of the size of the parameters: what was sent, the last mean, a window and its sum.
std::size_t exchange_arrays(const Deck& deck, std::size_t units) {
  if (exchange_kind(deck.oida.exchange) != ExchangeKind::server) {
    return deck.oida.momentum == "own" ? 4 : 8;
  }
  return units * 2 - 1;  // of rank 0: its own, and two for each other unit
}

}  // namespace

std::int64_t TrainingPlan::memory_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& item : memory) bytes += item.on_gpu ? 0 : static_cast<std::int64_t>(item.bytes);
  return bytes;
}

std::int64_t TrainingPlan::gpu_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& item : memory) bytes += item.on_gpu ? static_cast<std::int64_t>(item.bytes) : 0;
  return bytes;
}

std::vector<float> class_weights(const Deck& deck, const Dataset& data) {
  return deck.train.class_weights == "balanced" ? balanced_weights(data.split)
                                                : std::vector<float>{};
}

TrainingPlan make_plan(const Comm& comm, const Deck& deck, const Dataset& data,
                       const std::vector<std::int64_t>& batches) {
  const int units = comm.size();
  if (exchange_kind(deck.oida.exchange) == ExchangeKind::none && units > 1) {
    throw InputError("oida.exchange",
                     "none is for one unit, this job has " + std::to_string(units));
  }
  check_merge(deck, data);
  check_wire(deck);
  check_momentum(deck);
  if (jitter_options(deck).any()) MatrixJitter(jitter_options(deck), data.recipe, {});
  TrainingPlan plan;
  plan.interleave = make_interleave(comm, deck);
  plan.batches = batches;
  plan.global_batch = std::accumulate(batches.begin(), batches.end(), std::int64_t{0});
  plan.batch = static_cast<int>(batches[static_cast<std::size_t>(comm.rank())]);
  const auto& drawn = data.drawn_by_unit();
  if (deck.train.global_batch > 0) {
    const auto all = std::accumulate(drawn.begin(), drawn.end(), std::int64_t{0});
    plan.steps_per_epoch = ceil_div(all, plan.global_batch);
  } else {
    for (std::size_t unit = 0; unit < batches.size(); ++unit) {
      plan.steps_per_epoch = std::max(plan.steps_per_epoch, ceil_div(drawn[unit], batches[unit]));
    }
  }
  plan.total_steps = std::max<std::int64_t>(
      1, std::llround(deck.train.epochs * static_cast<double>(plan.steps_per_epoch)));
  if (deck.dry_run) {
    plan.total_steps = 2 * plan.interleave.steps(0);
  }
  return plan;
}

namespace {

/// What adds up only after training: the engine that maps the largest scene.
std::size_t mapping_bytes(const Dataset& data, const Engine& engine) {
  Extent largest;
  for (const auto& scene : data.scenes) {
    largest.rows = std::max(largest.rows, scene->info().rows);
    largest.cols = std::max(largest.cols, scene->info().cols);
  }
  const std::vector<float> none(parameter_count(engine.network()));
  return AreaPredictor(engine.network(), engine.options(), none, largest).bytes();
}

/// A GPU cuts its batches itself where the scene fits beside training.
void plan_gpu_batches(TrainingPlan& plan, const Deck& deck, const Dataset& data,
                      const Engine& engine) {
  if (engine.options().kind != "cuda") return;
  const std::size_t scene = scene_bytes(data, deck);
  if (engine.has_room_for_scene(scene) && !jitter_options(deck).any()) {
    plan.memory.push_back({"scene windows, batches are cut there", scene, true});
    return;
  }
  const Shape& patch = engine.network().input;
  const std::size_t floats = static_cast<std::size_t>(plan.batch) *
                             static_cast<std::size_t>(patch.h * patch.w) *
                             static_cast<std::size_t>(engine.channel_stride());
  plan.memory.push_back({"batches on their way, cut on the CPU", 2 * floats * sizeof(float), true});
}

}  // namespace

void plan_memory(TrainingPlan& plan, const Deck& deck, const Dataset& data, const Engine& engine) {
  plan.memory = engine.memory();
  const std::size_t flat = engine.flat_size() * sizeof(float);
  const std::size_t slots = Optimizer(optimizer_options(deck), 0).slots();
  plan.memory.push_back({"scene windows", static_cast<std::size_t>(store_bytes(data, deck))});
  plan_gpu_batches(plan, deck, data, engine);
  plan.memory.push_back({"samples", (data.split.training.size() + data.split.validation.size() +
                                     data.split.test.size() + data.shard.size() +
                                     data.validation.size() + data.common.size()) *
                                        sizeof(Sample)});
  if (data.dense()) {
    const std::int64_t labels = data.tiles.training->bytes() + data.tiles.validation->bytes();
    plan.memory.push_back({"labels of tiles", static_cast<std::size_t>(labels)});
    plan.memory.push_back({"windows of the map", mapping_bytes(data, engine)});
  }
  plan.memory.push_back({"parameters and gradient", 2 * flat});
  plan.memory.push_back({"optimizer", slots * flat});
  plan.memory.push_back({"exchange", exchange_arrays(deck, data.shard_samples.size()) * flat});
  const std::size_t kept = deck.train.average_share > 0 ? 4 : 3;
  plan.memory.push_back({"optimum and candidates", kept * flat});
  plan.memory.push_back({"checkpoint on its way (copy, file)", 2 * (4 + slots) * flat});
  std::stable_sort(plan.memory.begin(), plan.memory.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  const std::int64_t limit = deck.device.memory_limit_mb * 1'000'000;
  // On a GPU the limit is that of the engine, which kept to it.
  if (limit > 0 && plan.gpu_bytes() == 0 && plan.memory_bytes() > limit) {
    throw InputError("device.memory_limit_mb", "a rank needs " + megabytes(plan.memory_bytes()) +
                                                   ", allowed are " + megabytes(limit));
  }
}

namespace {

Network network_of(const Deck& deck, const Dataset& data, int side_px) {
  const Shape input{channels(data.recipe), side_px, side_px};
  const Output output = output_kind(deck.model.output);
  const int classes = data.classes.size();
  return deck.model.layers.empty() ? built_in(deck.model.name, input, classes, output)
                                   : from_lines(deck.model.layers, input, classes, output);
}

/// Pixels that the tile's sides must be a multiple of; nothing where no tile suits the network.
std::optional<int> tile_step_px(const Deck& deck, const Dataset& data) {
  constexpr int kDividesWell_px = 960;
  try {
    return field_of(network_of(deck, data, kDividesWell_px)).step_px;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

Network make_network(const Deck& deck, const Dataset& data) {
  if (!deck.dense()) return network_of(deck, data, static_cast<int>(deck.data.patch_px));
  try {
    Network network = network_of(deck, data, static_cast<int>(deck.data.tile_px));
    field_of(network);
    return network;
  } catch (const InputError& error) {
    const auto step_px = tile_step_px(deck, data);
    if (!step_px) throw;
    throw InputError("data.tile_px", std::to_string(deck.data.tile_px) +
                                         " px do not fit the network (" + error.message() +
                                         "); allowed: multiples of " + std::to_string(*step_px));
  }
}

OptimizerOptions optimizer_options(const Deck& deck) {
  OptimizerOptions options;
  options.kind = optimizer_kind(deck.train.optimizer);
  options.momentum = static_cast<float>(deck.train.momentum);
  options.weight_decay = static_cast<float>(deck.train.weight_decay);
  options.window = static_cast<int>(deck.train.window);
  return options;
}

JitterOptions jitter_options(const Deck& deck) {
  return {deck.data.orientation_deg, static_cast<int>(deck.data.resample_looks)};
}

GuardOptions guard_options(const Deck& deck, const TrainingPlan& plan) {
  GuardOptions options;
  options.on = deck.oida.guard == "on";
  options.factor = deck.oida.guard_factor;
  options.retries = static_cast<int>(deck.oida.guard_retries);
  options.validate_every = deck.oida.validate_every > 0
                               ? deck.oida.validate_every
                               : std::max<std::int64_t>(50, plan.total_steps / 20);
  return options;
}

TrainerOptions trainer_options(const Deck& deck, const TrainingPlan& plan) {
  TrainerOptions options;
  options.exchange = exchange_kind(deck.oida.exchange);
  options.merge = merge_kind(deck.oida.merge);
  options.ranks_per_node = static_cast<int>(deck.device.node_ranks);
  options.staleness = deck.oida.staleness;
  if (deck.oida.momentum == "exchanged") {
    options.momentum = static_cast<float>(deck.train.momentum);
  }
  options.interleave_until = deck.oida.interleave_until;
  options.total_steps = plan.total_steps;
  options.global_batch = plan.global_batch;
  options.schedule.kind = schedule_kind(deck.train.schedule);
  options.schedule.peak = static_cast<float>(deck.train.learning_rate);
  options.schedule.warm_up = static_cast<float>(deck.train.warm_up);
  options.average_share = deck.train.average_share;
  options.checkpoint_every_s = deck.run.checkpoint_every_s;
  options.keep = static_cast<int>(deck.run.keep);
  options.time_limit_s = time_limit_s(deck.run.time_limit_s);
  options.trace = deck.run.trace == "on";
  return options;
}

namespace {

Interleave replayed(const Deck& deck, const std::string& run_json) {
  InterleavePlan steps = recorded_interleave(run_json);
  if (deck.oida.wire != "auto") return Interleave::replay(steps, {{0, wire_of(deck.oida.wire)}});
  return Interleave::replay(steps, recorded_wires(run_json));
}

int fixed_steps(const std::string& text) {
  const bool digits =
      !text.empty() && text.size() <= 4 &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  const int steps = digits ? std::stoi(text) : 0;
  if (steps < 1) {
    throw InputError("oida.interleave",
                     "'" + text + "' is not one of auto | 1 to 9999 | plan:FILE");
  }
  return steps;
}

/// A unit may be a round ahead of the slowest: no less than the bound on staleness lets it be.
int server_steps(const Deck& deck) {
  constexpr std::int64_t kLeast = 8;
  return static_cast<int>(std::max(kLeast, deck.oida.staleness));
}

/// On one node nothing travels that could be rounded.
std::vector<Wire> wires_to_try(const Comm& comm, const Deck& deck) {
  if (deck.oida.wire != "auto") return {wire_of(deck.oida.wire)};
  const bool one_node = comm.placement().back().node == 0 &&
                        (deck.device.node_ranks == 0 || deck.device.node_ranks >= comm.size());
  if (one_node) return {Wire::fp32};
  return {Wire::fp32, Wire::bf16, Wire::int8, Wire::int4};
}

}  // namespace

Interleave make_interleave(const Comm& comm, const Deck& deck) {
  const std::string& text = deck.oida.interleave;
  const std::string plan = "plan:";
  const auto kind = exchange_kind(deck.oida.exchange);
  const Wire wire = deck.oida.wire == "auto" ? Wire::fp32 : wire_of(deck.oida.wire);
  if (text == "auto") {
    if (kind == ExchangeKind::server) return Interleave::fixed(server_steps(deck), wire);
    const bool delayed = comm.size() > 1 && kind == ExchangeKind::oida;
    return delayed ? Interleave::automatic(wires_to_try(comm, deck)) : Interleave::fixed(1, wire);
  }
  if (text.starts_with(plan)) return replayed(deck, beside_deck(deck, text.substr(plan.size())));
  const bool every_step = kind == ExchangeKind::allreduce || kind == ExchangeKind::none;
  const int steps = fixed_steps(text);
  return Interleave::fixed(every_step ? 1 : steps, wire);
}

std::string identity(const Deck& deck, const Dataset& data) {
  std::ostringstream text;
  for (const auto& [key, values] : deck.resolved) {
    const std::string section = key.substr(0, key.find('.'));
    const bool place = section == "run" || section == "device" || section == "synth" ||
                       key == "scene.path" || key == "scene.labels" || key == "data.split_file";
    if (place) continue;
    text << key << '=';
    for (const auto& value : values) text << value << ';';
    text << '\n';
  }
  text << "training samples=" << data.checksum << '\n';
  const Defects& defects = data.defects;
  text << "scene=" << defects.pixels << " pixels, " << defects.invalid << " invalid, "
       << defects.negative_power << " negative, " << defects.not_semidefinite
       << " not semi-definite\n";
  return text.str();
}

std::string describe(const Comm& comm, const TrainingPlan& plan, const Dataset& data,
                     const Network& network, const ComputePlace& place) {
  std::ostringstream text;
  for (const auto& scene : data.scenes) {
    const SceneInfo& info = scene->info();
    text << "scene      " << info.path << ": " << info.format << ", " << info.rows << " x "
         << info.cols << " px\n";
  }
  const Split& split = data.split;
  text << "split      " << to_string(split.kind) << ", " << split.blocks.size()
       << " blocks: " << split.training.size() << " training, " << split.validation.size()
       << " validation, " << split.test.size() << " test samples, " << data.classes.size()
       << " classes\n";
  if (data.dense()) {
    const auto& tiles = data.drawn_by_unit();
    text << "tiles      " << std::accumulate(tiles.begin(), tiles.end(), std::int64_t{0})
         << " for training of " << network.input.h << " x " << network.input.w << " px\n";
  }
  text << "shards     " << comm.size() << " units,";
  for (std::size_t i = 0; i < std::min<std::size_t>(data.shard_samples.size(), 8); ++i) {
    text << ' ' << data.shard_samples[i] << " (" << data.shard_checksums[i] << ')';
  }
  text << (data.shard_samples.size() > 8 ? " ...\n" : "\n");
  text << "network    " << network.name << ", " << parameter_count(network) << " parameters, "
       << std::fixed << std::setprecision(1) << training_flops(network) / 1e6
       << " MFLOP a sample and step\n";
  text << "steps      " << plan.total_steps << " of " << plan.global_batch << " samples, "
       << plan.steps_per_epoch << " an epoch\n";
  text << "place      " << place.device << ", " << place.threads << " threads a rank, "
       << comm.placement().back().node + 1 << " nodes\n";
  text << "memory     " << megabytes(plan.memory_bytes())
       << " a rank and about 100 MB for libraries";
  if (plan.gpu_bytes() > 0) text << "; " << megabytes(plan.gpu_bytes()) << " of its GPU";
  text << '\n';
  for (const auto& item : plan.memory) {
    text << "           " << std::setw(10) << megabytes(static_cast<std::int64_t>(item.bytes))
         << "  " << item.what << (item.on_gpu ? " (GPU)\n" : "\n");
  }
  for (const auto& warning : data.warnings) text << "warning    " << warning << '\n';
  for (const auto& warning : place.warnings) text << "warning    " << warning << '\n';
  return text.str();
}

}  // namespace oida::app
