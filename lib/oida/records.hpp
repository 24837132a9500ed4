#pragma once
// What a run measures about itself, on one clock.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/clock.hpp"

namespace oida {

/// Every moment of the main thread between the start of timing and its end belongs to one phase.
enum class Phase : std::uint8_t { data_wait, compute, exposed, validate, checkpoint, other };
inline constexpr std::size_t kPhases = 6;
const char* to_string(Phase phase);

/// One closed interval of a rank, for trace.json. `lane`: 0 main thread, 1 exchange in flight.
struct TraceEvent {
  double start_s = 0;
  double end_s = 0;
  std::string name;
  int lane = 0;
};

/// A rank keeps the first of its run, so that a long one does not grow.
inline constexpr std::size_t kMostTraceEvents = std::size_t{1} << 18;

/// Switches phases; nested use returns to the phase before.
class PhaseClock {
 public:
  /// From now on, on top of what add() brought. Trace events are kept when `trace` is set.
  void start(bool trace);
  /// Ends the current phase and starts `phase`; returns the phase before.
  Phase enter(Phase phase);
  void stop();
  /// Adds what an earlier part of the run (before a restart) kept.
  void add(const std::array<double, kPhases>& totals);

  double total_s(Phase phase) const { return totals_[static_cast<std::size_t>(phase)]; }
  const std::array<double, kPhases>& totals() const { return totals_; }
  const std::vector<TraceEvent>& trace() const { return trace_; }
  /// The last of kMostTraceEvents says in its name that no more is kept.
  void add_event(TraceEvent event);

 private:
  std::array<double, kPhases> totals_{};
  Phase phase_ = Phase::other;
  double since_s_ = 0;
  bool running_ = false;
  bool tracing_ = false;
  std::vector<TraceEvent> trace_;
};

/// A row of metrics.csv.
struct MetricsRow {
  std::int64_t round = 0;
  std::int64_t step = 0;
  std::int64_t samples = 0;  // over all units
  double wall_s = 0;
  double train_loss = 0;
  double validation_loss = 0;  // NaN without validation samples, oa too
  double oa = 0;
  int interleave = 1;
  double learning_rate = 0;
  bool optimum = false;
};

struct StepTimes {
  double min_ms = 0, median_ms = 0, p95_ms = 0, max_ms = 0;
};

/// One rank's part of timing.json; times of the main thread add up to train_s.
struct UnitTiming {
  int rank = 0;
  std::string host;
  double read_s = 0;  // reading and decoding scenes, before training
  std::int64_t read_bytes = 0;
  double data_wait_s = 0, compute_s = 0, exposed_s = 0, validate_s = 0, checkpoint_s = 0,
         other_s = 0;
  double exchange_s = 0;  // an operation of the exchange was in flight
  StepTimes step_ms;
};

/// timing.json; README, "What comes out", says what its shares are of.
struct Timing {
  std::string exchange, device, wire = "fp32";
  int nodes = 1, ranks = 1, units_per_node = 1, interleave = 1;
  std::int64_t samples = 0, pixels = 0, exchanges = 0, bytes_per_exchange = 0;
  double train_s = 0, startup_s = 0, warmup_s = 0;
  /// Of an asynchronous run: gradients that were applied k others late; the last bin and beyond.
  std::vector<std::int64_t> staleness;
  std::vector<UnitTiming> per_rank;

  double idle_share() const;
  /// NaN without an exchange.
  double hidden_share() const;
  double imbalance() const;
  /// Mean of `staleness`, NaN without any.
  double mean_staleness() const;
};

}  // namespace oida
