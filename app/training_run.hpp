#pragma once
// One training run in its run directory, from the first read of features to DONE.

#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "comm/comm.hpp"
#include "dataset.hpp"
#include "deck.hpp"
#include "io/run/run_directory.hpp"
#include "nn/metrics.hpp"
#include "oida/trainer.hpp"
#include "placement.hpp"
#include "progress.hpp"
#include "test_run.hpp"
#include "training_plan.hpp"

namespace oida::app {

/// All that stands before the first round.
struct PreparedRun {
  Deck deck;
  ComputePlace place;
  Dataset data;
  TrainingPlan plan;
  std::unique_ptr<Engine> engine;
};

/// All members are collective. `directory` is rank 0's, null elsewhere.
class TrainingRun {
 public:
  TrainingRun(Comm& comm, PreparedRun& run, RunDirectory* directory, double began_s);

  /// Exit::done, or Exit::again when stopped on request with a checkpoint.
  Exit go();

 private:
  void read_features();
  /// Computes as the checkpoint's run did, where its kernels were measured or of another machine.
  void replay_kernels(std::int64_t round);
  void tell(const std::string& event);
  void make_trainer();
  void start_record(bool resumed);
  void finish_record();
  void watch(const Progress& progress);
  void say_once(const std::string& trouble);
  void keep_bad_batch(std::int64_t step);
  TrainerResult run_trainer();
  Exit stopped(const TrainerResult& result);
  void write_outputs(const TrainerResult& result);
  void write_test(const TestResult& test);
  std::string closing_lines(const Scores& scores, const Timing& timing) const;

  Comm& comm_;
  PreparedRun& run_;
  RunDirectory* directory_;
  double began_s_, startup_s_ = 0;
  SceneReading reading_;
  std::unique_ptr<CheckpointStore> checkpoints_;
  std::unique_ptr<PatchStore> store_;
  Normaliser normaliser_;
  std::unique_ptr<MatrixJitter> jitter_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<Unit> unit_;
  std::unique_ptr<Guard> guard_;
  std::unique_ptr<Scorer> scorer_;
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<ProgressLine> progress_;
  nlohmann::ordered_json record_;
  std::size_t rows_written_ = 0;
  double metrics_written_s_ = 0;
  std::string trouble_said_;
};

}  // namespace oida::app
