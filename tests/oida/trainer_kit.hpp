#pragma once
// A trainer of the small problem, as the program puts one together.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mpi_world.hpp"
#include "oida/problem.hpp"
#include "oida/trainer.hpp"

namespace oida::test {

using oida::testing::world;

inline constexpr int kBatch = 12;
inline constexpr std::int64_t kSteps = 60;

inline bool equal_on_all_units(std::vector<float> values) {
  const std::vector<float> own = values;
  world().broadcast_values(values, 0);
  return own == values;
}

/// A unit and its trainer of kSteps steps of kBatch samples at a constant rate.
class TrainerKit {
 public:
  TrainerKit(const Problem& problem, int interleave, GuardOptions guard = default_guard(),
             ExchangeKind exchange = ExchangeKind::oida)
      : kit_(problem, world().size(), world().rank(), kBatch),
        guard_(kit_.engine(), problem.store, validation_share(problem), problem.validation.size(),
               guard),
        interleave_(Interleave::fixed(interleave)),
        scorer_(kit_.engine(), problem.store, problem.validation) {
    options_.exchange = exchange;
    options_.total_steps = kSteps;
    options_.global_batch = kBatch * world().size();
    options_.schedule.kind = Schedule::Kind::constant;
    options_.schedule.peak = 0.02F;
    options_.checkpoint_every_s = 1e9;
  }

  static GuardOptions default_guard() {
    GuardOptions guard;
    guard.validate_every = 10;
    return guard;
  }

  Trainer& trainer(std::function<bool()> stop = {}, CheckpointStore* store = nullptr) {
    const TrainerParts parts{
        kit_.unit(), guard_,     world(),
        store,       "a=1\n",    std::move(stop),
        {},          {},         [this](std::int64_t step) { bad_step = step; },
        &scorer_,    on_measured};
    trainer_.emplace(parts, options_, interleave_);
    return *trainer_;
  }

  Trainer& begin() {
    Trainer& trainer = this->trainer();
    trainer.begin(initial_parameters(kit_.engine().network(), 1));
    return trainer;
  }

  /// Before trainer(): a wire between ranks that are nodes of their own, and a merge by scores.
  void send_lossy(Wire wire, MergeKind merge) {
    interleave_ = Interleave::fixed(interleave_.steps(0), wire);
    options_.ranks_per_node = 1;
    options_.merge = merge;
  }

  /// Before trainer().
  void measure(std::int64_t steps) {
    interleave_ = Interleave::automatic();
    options_.total_steps = steps;
  }
  void end_with_one_from(double share) { options_.interleave_until = share; }

  /// Before trainer(): the mean over the last share of the steps is a candidate.
  void average(double share) { options_.average_share = share; }

  const Trainer* made() const { return &*trainer_; }
  UnitKit& kit() { return kit_; }
  Guard& guard() { return guard_; }
  std::int64_t bad_step = -1;  // of a run that was given up
  std::function<void(RoundTimes&)> on_measured;

 private:
  static std::vector<Sample> validation_share(const Problem& problem) {
    std::vector<Sample> share;
    for (const auto i : evaluation_share(problem.validation, world().size(), world().rank())) {
      share.push_back(problem.validation[i]);
    }
    return share;
  }

  UnitKit kit_;
  Guard guard_;
  Interleave interleave_;
  TrainerOptions options_;
  Scorer scorer_;
  std::optional<Trainer> trainer_;
};

}  // namespace oida::test
