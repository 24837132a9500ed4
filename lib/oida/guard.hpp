#pragma once
// Always optimal: candidates are scored in the stride of the loop, the best is kept, and a run that
// went wrong is led back to it.

#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "oida/evaluator.hpp"
#include "oida/exchange_rule.hpp"
#include "oida/snapshot.hpp"

namespace oida {

struct GuardOptions {
  bool on = true;
  double factor = 10.0;               // a loss above factor x the optimum's rolls back
  int retries = 3;                    // rollbacks at most
  std::int64_t validate_every = 100;  // optimizer steps, rounded up to a round
};

/// The best parameters known so far.
struct Optimum {
  SharedArray parameters;
  double loss = std::numeric_limits<double>::infinity();
  double accuracy = 0;
  std::int64_t round = -1;
  std::int64_t step = 0;
};

/// Agreed parameters on their way to a verdict: captured at the end of round r, scored during round
/// r + 1, losses summed in the exchange of round r + 2.
struct Candidate {
  std::int64_t round = 0;
  std::int64_t step = 0;
  SharedArray parameters;
  std::size_t next = 0;  // sample of this unit's validation shard to score next
  LossSum score;         // of this unit
  bool sent = false;     // its words are in flight
};

struct Verdict {
  std::int64_t round = 0;
  std::int64_t step = 0;
  double loss = 0;
  double accuracy = 0;
  bool improved = false;
  bool diverged = false;
};

class Guard {
 public:
  /// `share`: this unit's fixed validation shard, with `labels` of tiles; `total` labels over all
  /// units. Without any (total = 0) nothing can be compared, and the newest finite candidate is the
  /// optimum.
  Guard(Engine& engine, const PatchStore& store, std::vector<Sample> share, std::size_t total,
        const GuardOptions& options, const TileLabels* labels = nullptr);

  /// The first optimum: what training starts from, with unknown loss.
  void begin_with(std::span<const float> parameters);
  /// True when a candidate is due after the round that ended with `step_after`.
  bool due(std::int64_t step_before, std::int64_t step_after) const;
  void capture(std::int64_t round, std::int64_t step, std::span<const float> parameters);

  /// Scores all candidates up to the share `done` in (0, 1] of their batches.
  void score_until(double done);
  /// Puts the oldest scored candidate's losses into the words of an exchange.
  void send(ControlWords& words);
  /// What the summed words say of the candidate that was sent, if one was.
  std::optional<Verdict> judge(const ControlWords& sums);

  /// Scores what is left and parameters that come last; the oldest first. `sum_words` adds words up
  /// over all units.
  template <typename SumWords>
  std::vector<Verdict> settle(const SumWords& sum_words);

  /// Forgets candidates: they came from a path that was left.
  void drop_candidates() { candidates_.clear(); }

  /// There are validation samples.
  bool validates() const { return total_ > 0; }

  const GuardOptions& options() const { return options_; }
  Optimum& optimum() { return optimum_; }
  std::deque<Candidate>& candidates() { return candidates_; }

 private:
  Evaluator evaluator_;
  std::vector<Sample> share_;
  std::size_t total_;
  GuardOptions options_;
  Optimum optimum_;
  std::deque<Candidate> candidates_;
};

template <typename SumWords>
std::vector<Verdict> Guard::settle(const SumWords& sum_words) {
  std::vector<Verdict> verdicts;
  while (!candidates_.empty()) {
    score_until(1.0);
    ControlWords words;
    candidates_.front().sent = false;
    send(words);
    if (const auto verdict = judge(sum_words(words))) verdicts.push_back(*verdict);
  }
  return verdicts;
}

}  // namespace oida
