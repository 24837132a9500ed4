// The trainer's state as archives: what a checkpoint keeps and how a run goes on from it.

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "oida/archive_read.hpp"
#include "oida/trainer.hpp"

namespace oida {

namespace {

constexpr std::size_t kRowNumbers = 10;
constexpr std::int64_t kMostSteps = std::int64_t{1} << 38;  // times any batch it is an int64

std::string slot_name(std::size_t i) {
  return "optimizer_slot_" + std::to_string(i);
}
std::string rule_array_name(std::size_t i) {
  return "exchange_array_" + std::to_string(i);
}
std::string rule_values_name(std::size_t i) {
  return "exchange_values_" + std::to_string(i);
}
std::string candidate_name(std::size_t i) {
  return "candidate_" + std::to_string(i);
}

std::vector<double> pack(const std::vector<MetricsRow>& rows) {
  std::vector<double> numbers;
  for (const auto& row : rows) {
    numbers.insert(numbers.end(), {static_cast<double>(row.round), static_cast<double>(row.step),
                                   static_cast<double>(row.samples), row.wall_s, row.train_loss,
                                   row.validation_loss, row.oa, static_cast<double>(row.interleave),
                                   row.learning_rate, row.optimum ? 1.0 : 0.0});
  }
  return numbers;
}

int steps_of(double value) {
  return static_cast<int>(whole(value, 1, std::numeric_limits<int>::max()));
}

std::vector<MetricsRow> unpack_rows(const std::vector<double>& numbers) {
  std::vector<MetricsRow> rows;
  for (std::size_t i = 0; i + kRowNumbers <= numbers.size(); i += kRowNumbers) {
    const double* n = numbers.data() + i;
    rows.push_back({whole(n[0]), whole(n[1]), whole(n[2]), n[3], n[4], n[5], n[6], steps_of(n[7]),
                    n[8], n[9] != 0.0});
  }
  return rows;
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + '\n';
  return text;
}

/// The first line that differs, as "name is X, the checkpoint's is Y"; empty when all are equal.
std::string first_difference(const std::string& now, const std::string& then) {
  std::istringstream mine(now);
  std::istringstream other(then);
  std::string line;
  std::string kept;
  while (std::getline(mine, line)) {
    if (!std::getline(other, kept)) kept = "(nothing)";
    if (line != kept) return "this run has " + line + ", the checkpoint " + kept;
  }
  return std::getline(other, kept) ? "only the checkpoint has " + kept : "";
}

}  // namespace

std::vector<float> Trainer::canonical(std::span<const float> flat) const {
  std::vector<float> values(parameter_count(parts_.unit.engine().network()));
  parts_.unit.engine().export_flat(flat, values);
  return values;
}

AlignedVector<float> Trainer::flat(std::span<const float> canonical) const {
  AlignedVector<float> values(parts_.unit.engine().flat_size());
  parts_.unit.engine().import_flat(canonical, values);
  return values;
}

void Trainer::take_common() {
  Snapshot& snapshot = common_snapshot_;
  const Optimum& optimum = parts_.guard.optimum();
  auto& numbers = snapshot.numbers();
  snapshot.texts()["identity"] = parts_.identity;
  snapshot.share("optimum", optimum.parameters);
  numbers["optimum"] = {optimum.loss, optimum.accuracy, static_cast<double>(optimum.round),
                        static_cast<double>(optimum.step)};
  std::vector<double> marks;
  for (std::size_t i = 0; i < parts_.guard.candidates().size(); ++i) {
    const Candidate& candidate = parts_.guard.candidates()[i];
    snapshot.share(candidate_name(i), candidate.parameters);
    marks.push_back(static_cast<double>(candidate.round));
    marks.push_back(static_cast<double>(candidate.step));
  }
  numbers["candidates"] = marks;
  numbers["tail_mean"] = {static_cast<double>(tail_mean_.taken())};
  if (tail_mean_.taken() > 0) snapshot.copy("tail_mean", tail_mean_.mean());
  numbers["progress"] = {static_cast<double>(round_),
                         static_cast<double>(step_),
                         static_cast<double>(options_.total_steps),
                         rate_scale_,
                         static_cast<double>(rollbacks_),
                         warm_ ? 1.0 : 0.0,
                         static_cast<double>(timed_from_step_)};
  const double train_s = warm_ ? train_s_ + snapshot_s_ - timing_since_s_ : 0;
  numbers["times_s"] = {wall_s(snapshot_s_), warm_ ? warmup_s_ : wall_s(snapshot_s_), train_s};
  numbers["loss"] = {loss_sum_, static_cast<double>(loss_rounds_)};
  numbers["metrics"] = pack(metrics_);
  std::vector<double> plan{interleave_.tuned() ? 1.0 : 0.0};
  for (const auto& [round, steps] : interleave_.plan()) {
    plan.push_back(static_cast<double>(round));
    plan.push_back(static_cast<double>(steps));
  }
  numbers["interleave"] = plan;
  std::vector<double> wires;
  for (const auto& [round, wire] : interleave_.wire_plan()) {
    wires.push_back(static_cast<double>(round));
    wires.push_back(static_cast<double>(wire));
  }
  numbers["wires"] = wires;
}

void Trainer::take_unit() {
  Snapshot& snapshot = unit_snapshot_;
  auto& numbers = snapshot.numbers();
  snapshot.copy("x", parts_.unit.x());
  Optimizer& optimizer = parts_.unit.optimizer();
  for (std::size_t i = 0; i < optimizer.slots(); ++i) {
    snapshot.copy(slot_name(i), optimizer.slot(i));
  }
  const auto arrays = rule_->arrays();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    snapshot.copy(rule_array_name(i), arrays[i]);
  }
  const auto values = rule_->values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    numbers[rule_values_name(i)] = {values[i].begin(), values[i].end()};
  }
  std::vector<double> scores;
  for (const Candidate& candidate : parts_.guard.candidates()) {
    scores.insert(scores.end(),
                  {static_cast<double>(candidate.next), candidate.score.loss,
                   candidate.score.correct, static_cast<double>(candidate.score.samples)});
  }
  numbers["scores"] = scores;
  snapshot.texts()[kKernelsText] = joined_lines(parts_.unit.engine().kernels());
  const auto& totals = parts_.unit.clock().totals();
  numbers["phases_s"] = {totals.begin(), totals.end()};
  numbers["exchange"] = {exchange_s_, static_cast<double>(exchanges_)};
  numbers["round"] = {round_loss_, saw_non_finite_ ? 1.0 : 0.0};
  numbers["step_times"] = step_times_.packed();
}

void Trainer::restore_common(const Archive& archive) {
  const auto difference = first_difference(parts_.identity, text_of(archive, "identity"));
  if (!difference.empty()) throw InputError("run.resume", difference);

  const auto& progress = numbers_of(archive, "progress", 7);
  round_ = whole(progress[0]);
  step_ = whole(progress[1], 0, whole(progress[2], 1, kMostSteps));
  rate_scale_ = progress[3];
  rollbacks_ = static_cast<int>(whole(progress[4], 0, std::numeric_limits<int>::max()));
  warm_ = progress[5] != 0.0;
  timed_from_step_ = whole(progress[6], 0, step_);
  const auto& times = numbers_of(archive, "times_s", 3);
  wall_before_s_ = times[0];
  warmup_s_ = times[1];
  train_s_ = times[2];
  const auto& loss = numbers_of(archive, "loss", 2);
  loss_sum_ = loss[0];
  loss_rounds_ = whole(loss[1]);
  metrics_ = unpack_rows(numbers_of(archive, "metrics", 0));

  const auto& plan = numbers_of(archive, "interleave", 3);
  InterleavePlan steps;
  for (std::size_t i = 1; i + 1 < plan.size(); i += 2) {
    steps.emplace_back(whole(plan[i]), steps_of(plan[i + 1]));
  }
  const auto& wire_numbers = numbers_of(archive, "wires", 2);
  WirePlan wires;
  for (std::size_t i = 0; i + 1 < wire_numbers.size(); i += 2) {
    const auto wire = whole(wire_numbers[i + 1], 0, static_cast<std::int64_t>(Wire::int4));
    wires.emplace_back(whole(wire_numbers[i]), static_cast<Wire>(wire));
  }
  interleave_.restore(steps, wires, plan[0] != 0.0, round_);

  const auto& marks = numbers_of(archive, "optimum", 4);
  Optimum& optimum = parts_.guard.optimum();
  optimum = {shared_array(flat(parameters_of(archive, "optimum"))), marks[0], marks[1],
             whole(marks[2], -1), whole(marks[3], 0, step_)};
  const std::int64_t taken = whole(numbers_of(archive, "tail_mean", 1)[0], 0, step_);
  tail_mean_.restart();
  if (taken > 0) tail_mean_.restore(taken, flat(parameters_of(archive, "tail_mean")));
  const auto& candidates = numbers_of(archive, "candidates", 0);
  parts_.guard.drop_candidates();
  for (std::size_t i = 0; 2 * i + 1 < candidates.size(); ++i) {
    parts_.guard.capture(whole(candidates[2 * i]), whole(candidates[2 * i + 1], 0, step_),
                         flat(parameters_of(archive, candidate_name(i))));
  }
}

void Trainer::restore_unit(const Archive& archive) {
  parts_.unit.engine().import_flat(parameters_of(archive, "x"), parts_.unit.x());
  Optimizer& optimizer = parts_.unit.optimizer();
  for (std::size_t i = 0; i < optimizer.slots(); ++i) {
    parts_.unit.engine().import_flat(parameters_of(archive, slot_name(i)), optimizer.slot(i));
  }
  const auto arrays = rule_->arrays();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    parts_.unit.engine().import_flat(parameters_of(archive, rule_array_name(i)), arrays[i]);
  }
  const auto values = rule_->values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& kept = numbers_of(archive, rule_values_name(i), 0);
    // Another placement shares what rounding left out in another way: it starts without.
    if (kept.size() == values[i].size()) std::copy(kept.begin(), kept.end(), values[i].begin());
  }
  const auto& scores = numbers_of(archive, "scores", 4 * parts_.guard.candidates().size());
  for (std::size_t i = 0; i < parts_.guard.candidates().size(); ++i) {
    Candidate& candidate = parts_.guard.candidates()[i];
    const double* score = scores.data() + 4 * i;
    candidate.next = static_cast<std::size_t>(whole(score[0]));
    candidate.score = {score[1], score[2], static_cast<std::size_t>(whole(score[3]))};
  }
  std::array<double, kPhases> totals{};
  std::copy_n(numbers_of(archive, "phases_s", kPhases).begin(), kPhases, totals.begin());
  parts_.unit.clock().add(totals);
  const auto& exchange = numbers_of(archive, "exchange", 2);
  exchange_s_ = exchange[0];
  exchanges_ = whole(exchange[1]);
  const auto& round = numbers_of(archive, "round", 2);
  round_loss_ = round[0];
  saw_non_finite_ = round[1] != 0.0;
  step_times_.restore(numbers_of(archive, "step_times", StepHistogram::kPackedSize));
}

void Trainer::restore_from_other_units(const Archive& common, std::int64_t round) {
  const auto& progress = numbers_of(common, "progress", 7);
  const int units = parts_.checkpoints->units(round);
  auto mean = collectively(parts_.comm, [&] {
    std::vector<double> sum(parameter_count(parts_.unit.engine().network()));
    for (int unit = 0; unit < units && parts_.comm.rank() == 0; ++unit) {
      const auto archive = parts_.checkpoints->read_unit(round, unit);
      const auto& x = parameters_of(archive, "x");
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(x[i]) / units;
    }
    return std::vector<float>(sum.begin(), sum.end());
  });
  parts_.comm.broadcast_values(mean, 0);
  parts_.unit.engine().import_flat(mean, parts_.unit.x());
  parts_.unit.optimizer().reset();
  rule_->restart();
  parts_.guard.drop_candidates();
  step_ = std::llround(progress[1] / progress[2] * static_cast<double>(options_.total_steps));
  warm_ = false;
  train_s_ = 0;
  say("resumed from " + std::to_string(units) + " units on " + std::to_string(parts_.comm.size()) +
      ": mean of their parameters, fresh optimizer, shards cut anew");
}

bool Trainer::resume(std::int64_t round) {
  const Archive common =
      collectively(parts_.comm, [&] { return parts_.checkpoints->read_common(round); });
  collectively(parts_.comm, [&] { restore_common(common); });
  checkpoint_writer_.found();
  follow_wire();
  if (parts_.checkpoints->units(round) != parts_.comm.size()) {
    restore_from_other_units(common, round);
    return false;
  }
  collectively(parts_.comm,
               [&] { restore_unit(parts_.checkpoints->read_unit(round, parts_.comm.rank())); });
  return true;
}

}  // namespace oida
