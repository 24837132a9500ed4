#pragma once
// The training loop of one unit, from the first round to the optimum.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "nn/schedule.hpp"
#include "oida/archive.hpp"
#include "oida/checkpoint_writer.hpp"
#include "oida/exchange_rule.hpp"
#include "oida/guard.hpp"
#include "oida/interleave.hpp"
#include "oida/records.hpp"
#include "oida/snapshot.hpp"
#include "oida/step_times.hpp"
#include "oida/tail_mean.hpp"
#include "oida/unit.hpp"

namespace oida {

struct TrainerOptions {
  ExchangeKind exchange = ExchangeKind::oida;
  MergeKind merge = MergeKind::mean;
  int ranks_per_node = 0;         // as in ExchangeOptions
  std::int64_t staleness = 4;     // as in RuleOptions
  float momentum = 0;             // as in RuleOptions
  double interleave_until = 1;    // share of the steps after which the interleave is 1
  std::int64_t total_steps = 0;   // of every unit
  std::int64_t global_batch = 0;  // samples of all units in one step
  Schedule schedule;
  /// The mean over this last share of the steps is the last candidate for the optimum; 0 = none.
  double average_share = 0;
  double checkpoint_every_s = 300;
  int keep = 2;
  double time_limit_s = 0;  // 0 = none
  bool trace = false;
};

/// The text of a unit's archive that holds its engine's kernels(), a line each.
inline constexpr const char* kKernelsText = "kernels";

struct Progress {
  std::int64_t step = 0, total_steps = 0, samples = 0;
  double wall_s = 0, train_loss = 0, validation_loss = 0, accuracy = 0;
};

/// What the surroundings give; all members outlive the trainer.
struct TrainerParts {
  Unit& unit;
  Guard& guard;
  Comm& comm;
  CheckpointStore* checkpoints = nullptr;  // null: none are written
  /// Lines "name=value" that must be equal for a checkpoint to be gone on with.
  std::string identity;
  std::function<bool()> stop_requested;
  std::function<void(const Progress&)> on_progress;  // rank 0, after every round
  std::function<void(const std::string&)> on_event;  // rank 0, one line
  /// When a run is given up: on each unit whose loss was not finite, with the step where it showed
  /// first; on all, with the last step, where no loss showed it. Nothing else writes meanwhile.
  std::function<void(std::int64_t)> on_give_up;
  Scorer* scorer = nullptr;  // for merges that weigh
  /// On each unit, after every round: what was measured, before the interleave is told.
  std::function<void(RoundTimes&)> on_measured = {};
};

struct TrainerResult {
  bool finished = false;          // false: stopped on request
  bool has_checkpoint = false;    // a stopped run can be gone on with
  std::vector<float> parameters;  // the optimum, canonical order
  double optimum_loss = 0;
  std::int64_t optimum_round = 0;
  std::int64_t rounds = 0;
};

/// All units call the members in the same order. Errors that all units see are AgreedErrors.
class Trainer {
 public:
  Trainer(const TrainerParts& parts, const TrainerOptions& options, Interleave interleave);
  ~Trainer();

  /// Starts from `canonical` parameters.
  void begin(std::span<const float> canonical);
  /// Goes on from the checkpoint of `round`. InputError (agreed) when it was written for another
  /// identity, with the first difference named. From another number of units: the mean of their
  /// parameters, a fresh optimizer, the schedule by the share of steps done; returns false then.
  bool resume(std::int64_t round);
  TrainerResult run();

  const std::vector<MetricsRow>& metrics() const { return metrics_; }
  const Interleave& interleave() const { return interleave_; }
  int rollbacks() const { return rollbacks_; }
  std::string exchange_way() const { return rule_->way(); }
  std::int64_t step() const { return step_; }
  std::int64_t rounds() const { return round_; }
  /// The exit code of a job that loses a rank now: Exit::again where there is a checkpoint.
  Exit exit_when_lost() const;
  /// This unit's part of the timing; common figures through timing().
  UnitTiming unit_timing() const;
  void fill(Timing& timing) const;

 private:
  void round();
  double train_step();
  ControlWords words();
  void act(const ControlWords& sums, std::int64_t step_before);
  void capture(std::int64_t step_before);
  void take_mean(std::int64_t step_before);
  /// Adds a row of metrics; says why the run must be led back, if it must.
  std::string note(const Verdict& verdict);
  void roll_back(const std::string& reason);
  [[noreturn]] void give_up(const std::string& reason);
  /// Seconds that exchanges of the last round were in flight.
  double note_flights();
  /// From here on rounds count; `first` is this process's first round.
  bool is_warm(std::int64_t first) const;
  void start_timing();
  void start_checkpoint();
  void write_last_checkpoint();
  TrainerResult finish();
  void settle_candidates();
  /// Collective: the rule sends as the plan says for the next round.
  void follow_wire();
  TrainerResult result(bool finished);
  double progress() const;  // share of the steps done
  double rate() const;
  double wall_s(double at_s) const;
  double weight() const;
  void say(const std::string& event) const;

  // trainer_state.cpp
  void take_common();
  void take_unit();
  void restore_common(const Archive& archive);
  void restore_unit(const Archive& archive);
  void restore_from_other_units(const Archive& common, std::int64_t round);
  std::vector<float> canonical(std::span<const float> flat) const;
  AlignedVector<float> flat(std::span<const float> canonical) const;

  TrainerParts parts_;
  TrainerOptions options_;
  Interleave interleave_;
  std::unique_ptr<ExchangeRule> rule_;
  Snapshot unit_snapshot_, common_snapshot_;  // the writer's while a checkpoint is on its way
  CheckpointWriter checkpoint_writer_;
  Wire wire_;  // that the rule uses

  // Kept by a checkpoint, the same on all units.
  std::int64_t round_ = 0, step_ = 0;
  double rate_scale_ = 1;
  int rollbacks_ = 0;
  TailMean tail_mean_;
  bool warm_ = false;
  std::int64_t timed_from_step_ = 0;
  double wall_before_s_ = 0, warmup_s_ = 0, train_s_ = 0;
  std::vector<MetricsRow> metrics_;
  double loss_sum_ = 0;  // of the rounds since the last row of metrics_
  std::int64_t loss_rounds_ = 0;

  // Kept by a checkpoint, of this unit.
  StepHistogram step_times_;
  double exchange_s_ = 0;
  std::int64_t exchanges_ = 0;
  double round_loss_ = 0;
  bool saw_non_finite_ = false;
  std::int64_t non_finite_step_ = -1;  // the first since the last rollback; not kept

  // Of this process.
  double began_s_ = 0, timing_since_s_ = 0, checkpointed_s_ = 0;
  double snapshot_s_ = 0;  // the moment that a checkpoint describes
  bool stop_ = false;
};

}  // namespace oida
