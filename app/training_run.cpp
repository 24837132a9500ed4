#include "training_run.hpp"

#include <iomanip>
#include <iostream>
#include <sstream>

#include "commands.hpp"
#include "core/clock.hpp"
#include "earlier_run.hpp"
#include "io/report/report.hpp"
#include "io/run/batch_file.hpp"
#include "io/run/checkpoint.hpp"
#include "io/run/model_file.hpp"
#include "resume.hpp"
#include "run_record.hpp"
#include "scene_map.hpp"
#include "stop_signal.hpp"

namespace oida::app {

namespace {

std::vector<Sample> joined(std::vector<Sample> a, const std::vector<Sample>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

SamplerOptions sampler_options(const Comm& comm, const PreparedRun& run) {
  SamplerOptions options;
  options.batch = run.plan.batch;
  options.balanced_share = run.deck.data.balanced_share;
  options.augmentation = augmentation(run.deck.data.augmentation);
  options.seed = static_cast<std::uint64_t>(run.deck.train.seed);
  options.unit = comm.rank();
  options.shift_px = static_cast<int>(run.deck.data.tile_shift_px);
  return options;
}

}  // namespace

TrainingRun::TrainingRun(Comm& comm, PreparedRun& run, RunDirectory* directory, double began_s)
    : comm_(comm),
      run_(run),
      directory_(directory),
      began_s_(began_s),
      checkpoints_(open_checkpoints(run.deck.run.dir + "/checkpoints", run.engine->network())) {}

void TrainingRun::read_features() {
  collectively(comm_, [&] {
    store_ = std::make_unique<PatchStore>(
        load(run_.data, run_.deck,
             joined(joined(run_.data.shard, run_.data.validation), run_.data.common)));
  });
  normaliser_ = fit_normaliser(comm_, *store_, run_.data.shard);
  store_->normalise(normaliser_);
  reading_ = scene_reading(run_.data);
}

void TrainingRun::replay_kernels(std::int64_t round) {
  if (checkpoints_->units(round) != comm_.size()) return;
  collectively(comm_, [&] {
    const Archive archive = checkpoints_->read_unit(round, comm_.rank());
    const auto kept = archive.texts.find(kKernelsText);
    if (kept == archive.texts.end()) throw InputError("checkpoint", "names no kernels");
    std::istringstream text(kept->second);
    EngineOptions options = run_.engine->options();
    options.kernels.clear();
    for (std::string line; std::getline(text, line);) options.kernels.push_back(line);
    if (options.kernels == run_.engine->kernels()) return;
    run_.engine = make_engine(run_.engine->network(), options);
  });
  run_.engine = in_one_order(comm_, std::move(run_.engine));
}

void TrainingRun::tell(const std::string& event) {
  if (progress_ != nullptr) progress_->finish();
  say(comm_, "oida: " + event + "\n");
}

void TrainingRun::make_trainer() {
  const auto& tiles = run_.data.tiles;
  sampler_ = std::make_unique<Sampler>(run_.data.drawn(), run_.data.classes.size(),
                                       sampler_options(comm_, run_), tiles.training.get());
  if (jitter_options(run_.deck).any()) {
    jitter_ =
        std::make_unique<MatrixJitter>(jitter_options(run_.deck), run_.data.recipe, normaliser_);
    sampler_->use(*jitter_);
  }
  unit_ = std::make_unique<Unit>(*run_.engine, *sampler_, *store_, optimizer_options(run_.deck));
  guard_ = std::make_unique<Guard>(*run_.engine, *store_, run_.data.validation,
                                   run_.data.validation_total, guard_options(run_.deck, run_.plan),
                                   tiles.validation.get());
  if (!run_.data.common.empty()) {
    scorer_ =
        std::make_unique<Scorer>(*run_.engine, *store_, run_.data.common, tiles.validation.get());
  }
  const TrainerParts parts{*unit_,
                           *guard_,
                           comm_,
                           run_.deck.dry_run ? nullptr : checkpoints_.get(),
                           identity(run_.deck, run_.data),
                           stop_signal_seen,
                           [this](const Progress& progress) { watch(progress); },
                           [this](const std::string& event) { tell(event); },
                           [this](std::int64_t step) { keep_bad_batch(step); },
                           scorer_.get(),
                           {}};
  trainer_ =
      std::make_unique<Trainer>(parts, trainer_options(run_.deck, run_.plan), run_.plan.interleave);
}

void TrainingRun::start_record(bool resumed) {
  if (directory_ == nullptr) return;
  const auto restarts = restarts_in(directory_->path());
  record_ = run_record(comm_, run_.deck, run_.data, run_.plan, *run_.engine, run_.place, restarts);
  record_["resumed"] = resumed;
  directory_->clear_marks();
  directory_->write_json("run.json", record_);
}

void TrainingRun::finish_record() {
  if (directory_ == nullptr) return;
  record_["interleave_plan"] = trainer_->interleave().plan();
  auto& wires = record_["wire_plan"] = nlohmann::ordered_json::array();
  for (const auto& [round, wire] : trainer_->interleave().wire_plan()) {
    wires.push_back({round, to_string(wire)});
  }
  record_["exchange_way"] = trainer_->exchange_way();
  record_["rollbacks"] = trainer_->rollbacks();
  directory_->write_json("run.json", record_);
  directory_->write_metrics(trainer_->metrics());
}

void TrainingRun::say_once(const std::string& trouble) {
  if (trouble.empty() || trouble == trouble_said_) return;
  trouble_said_ = trouble;
  tell(trouble + "; training goes on");
}

void TrainingRun::watch(const Progress& progress) {
  progress_->show(progress);
  say_once(directory_->beat());
  constexpr double kMetricsEvery_s = 1;  // each write waits for the disk
  const double now = now_s();
  const bool new_rows = trainer_->metrics().size() != rows_written_;
  if (!new_rows || now - metrics_written_s_ < kMetricsEvery_s) return;
  metrics_written_s_ = now;
  try {
    directory_->write_metrics(trainer_->metrics());
    rows_written_ = trainer_->metrics().size();
  } catch (const Error& error) {
    say_once(error.message());
  }
}

/// Of a run that is given up anyway: what stands in the way of it is said and no more.
void TrainingRun::keep_bad_batch(std::int64_t step) {
  const std::string path =
      run_.deck.run.dir + "/nonfinite-batch.unit-" + std::to_string(comm_.rank()) + ".h5";
  BadBatch bad;
  bad.step = step;
  bad.network = run_.engine->network();
  bad.parameters.resize(parameter_count(bad.network));
  run_.engine->export_flat(unit_->x(), bad.parameters);
  bad.samples = sampler_->samples(static_cast<std::uint64_t>(step));
  bad.batch = make_batch(*run_.engine);
  sampler_->fill(static_cast<std::uint64_t>(step), *store_, bad.batch);
  try {
    write_bad_batch(path, bad);
    std::cout << "oida: what rank " << comm_.rank() << " computed on is in " << path << std::endl;
  } catch (const Error& error) {
    std::cout << "oida: " << error.what() << std::endl;
  }
}

/// A rank that is gone shows as a failure of the transport.
TrainerResult TrainingRun::run_trainer() {
  try {
    return trainer_->run();
  } catch (const AgreedError&) {
    throw;
  } catch (const Error& error) {
    if (error.exit() != Exit::again) throw;
    const Placement& place = comm_.placement()[static_cast<std::size_t>(comm_.rank())];
    throw Error(
        "rank " + std::to_string(place.rank) + " on " + place.host,
        "lost another in round " + std::to_string(trainer_->rounds()) + ": " + error.message(),
        trainer_->exit_when_lost());
  }
}

Exit TrainingRun::stopped(const TrainerResult& result) {
  if (!result.has_checkpoint) {
    throw AgreedError("run.dir: stopped on request, but there is no checkpoint to go on from",
                      Exit::failed);
  }
  try {
    finish_record();
  } catch (const Error& error) {
    tell(error.message());
  }
  say(comm_, "stopped on request after round " + std::to_string(result.rounds) +
                 " with a checkpoint: start the same command again to go on\n");
  return Exit::again;
}

Exit TrainingRun::go() {
  read_features();
  const auto checkpoint = find_checkpoint(comm_, *checkpoints_, run_.deck);
  if (checkpoint) replay_kernels(*checkpoint);
  make_trainer();
  if (checkpoint) {
    if (!trainer_->resume(*checkpoint)) {
      run_.data.warnings.push_back("resumed from " +
                                   std::to_string(checkpoints_->units(*checkpoint)) + " units on " +
                                   std::to_string(comm_.size()) +
                                   ": mean of their parameters, fresh optimizer, shards cut anew");
    }
    if (comm_.rank() == 0) set_newer_aside(*checkpoints_, *checkpoint);
    say(comm_, "resumed from the checkpoint of round " + std::to_string(*checkpoint) + "\n");
  } else {
    trainer_->begin(initial_parameters(run_.engine->network(),
                                       static_cast<std::uint64_t>(run_.deck.model.seed)));
  }
  progress_ = std::make_unique<ProgressLine>(comm_.rank() == 0 ? run_.deck.run.progress : "off",
                                             trainer_->step());
  collectively(comm_, [&] { start_record(checkpoint.has_value()); });
  startup_s_ = now_s() - began_s_;
  const TrainerResult result = run_trainer();
  progress_->finish();
  if (!result.finished) return stopped(result);
  comm_.set_stall_moment("after the training", trainer_->exit_when_lost());
  collectively(comm_, [&] { finish_record(); });
  write_outputs(result);
  return Exit::done;
}

void TrainingRun::write_test(const TestResult& test) {
  if (directory_ == nullptr) return;
  const Dataset& data = run_.data;
  const TestRecord record{score(test.confusion, trained_classes(data)),
                          test.confusion,
                          data.classes,
                          to_string(data.split.kind),
                          data.split.leaky(),
                          data.warnings,
                          test.blocks};
  directory_->write_json("test.json", to_json(record));
}

void TrainingRun::write_outputs(const TrainerResult& result) {
  const int side_px = run_.engine->network().input.h;
  Model model{run_.engine->network(), result.parameters, run_.data.classes,
              run_.data.recipe,       normaliser_,       side_px};
  const int patch_pixels = model.patch_px * model.patch_px;
  const Timing timing =
      gather_timing(comm_, *trainer_, run_.place.device, startup_s_, reading_, patch_pixels);
  const auto trace = run_.deck.run.trace == "on" ? gather_trace(comm_, unit_->clock().trace())
                                                 : std::vector<std::vector<TraceEvent>>{};
  collectively(comm_, [&] {
    if (directory_ == nullptr) return;
    write_model(directory_->file("model.h5"), model);
    directory_->write_json("timing.json", to_json(timing));
    if (!trace.empty()) write_trace(directory_->file("trace.json"), trace);
  });
  const auto beat = [this] {
    if (directory_ != nullptr) say_once(directory_->beat());
  };
  AlignedVector<float> flat(run_.engine->flat_size());
  run_.engine->import_flat(model.parameters, flat);
  const TestResult test = run_test(comm_, run_.deck, run_.data, *run_.engine, flat, model, beat);
  collectively(comm_, [&] { write_test(test); });
  draw_scenes(comm_, run_.deck, run_.data, *run_.engine, flat, model, test.samples_per_s, beat);
  collectively(comm_, [&] {
    if (directory_ == nullptr) return;
    write_run_report(directory_->path());
    directory_->mark_done();
  });
  say(comm_, closing_lines(score(test.confusion, trained_classes(run_.data)), timing));
}

std::string TrainingRun::closing_lines(const Scores& scores, const Timing& timing) const {
  std::ostringstream text;
  text << std::fixed << std::setprecision(4) << "test  " << scores.n << " samples ("
       << to_string(run_.data.split.kind)
       << (run_.data.split.leaky() ? " split, optimistic: the parts share pixels): OA "
                                   : " split): OA ")
       << scores.oa << "  AA " << scores.aa << "  kappa " << scores.kappa << "  mIoU "
       << scores.miou << '\n';
  text << std::setprecision(1) << "speed " << static_cast<double>(timing.samples) / timing.train_s
       << " samples/s, " << std::setprecision(3)
       << static_cast<double>(timing.pixels) / timing.train_s / 1e6 << " megapixels/s, idle "
       << std::setprecision(2) << 100 * timing.idle_share() << " %";
  if (timing.ranks > 1) text << ", hidden " << 100 * timing.hidden_share() << " %";
  text << "\nreport " << run_.deck.run.dir << "/report.md\n";
  return text.str();
}

}  // namespace oida::app
