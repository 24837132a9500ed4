#include "oida/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace oida {

namespace {

RuleOptions rule_options(const TrainerParts& parts, const TrainerOptions& options, double share,
                         Wire wire) {
  RuleOptions rule;
  rule.exchange = options.exchange;
  rule.merge = options.merge;
  rule.share = static_cast<float>(share);
  rule.scorer = parts.scorer;
  rule.wire = wire;
  rule.ranks_per_node = options.ranks_per_node;
  rule.staleness = options.staleness;
  rule.momentum = options.momentum;
  if (parts.comm.rank() == 0) rule.say = parts.on_event;
  return rule;
}

}  // namespace

Trainer::Trainer(const TrainerParts& parts, const TrainerOptions& options, Interleave interleave)
    : parts_(parts),
      options_(options),
      interleave_(std::move(interleave)),
      rule_(make_rule(rule_options(parts, options, weight(), interleave_.wire(0)), parts.unit,
                      parts.comm)),
      checkpoint_writer_(parts.comm, parts.checkpoints, options.keep,
                         [this](const std::string& event) { say(event); }),
      wire_(interleave_.wire(0)),
      tail_mean_(options.average_share, options.total_steps),
      began_s_(now_s()),
      checkpointed_s_(now_s()) {}

Trainer::~Trainer() = default;

double Trainer::weight() const {
  return static_cast<double>(parts_.unit.batch()) / static_cast<double>(options_.global_batch);
}

double Trainer::progress() const {
  return static_cast<double>(step_) / static_cast<double>(options_.total_steps);
}

double Trainer::rate() const {
  return rate_scale_ * static_cast<double>(options_.schedule.rate(progress()));
}

double Trainer::wall_s(double at_s) const {
  return wall_before_s_ + at_s - began_s_;
}

void Trainer::say(const std::string& event) const {
  if (parts_.comm.rank() == 0 && parts_.on_event) parts_.on_event(event);
}

void Trainer::begin(std::span<const float> canonical) {
  parts_.unit.engine().import_flat(canonical, parts_.unit.x());
  parts_.guard.begin_with(parts_.unit.x());
  rule_->restart();
}

bool Trainer::is_warm(std::int64_t first) const {
  constexpr std::int64_t kColdRounds = 2;
  const std::int64_t rounds = std::max(interleave_.tuning_rounds(), kColdRounds);
  if (options_.total_steps < 8 * rounds) return true;
  return interleave_.tuned() && round_ >= first + kColdRounds;
}

void Trainer::follow_wire() {
  const Wire wire = interleave_.wire(round_);
  if (wire == wire_) return;
  rule_->use(wire);
  wire_ = wire;
}

void Trainer::start_timing() {
  parts_.comm.barrier();
  if (!warm_) {
    warmup_s_ += now_s() - began_s_;
    timed_from_step_ = step_;
    step_times_.clear();
    warm_ = true;
  }
  timing_since_s_ = now_s();
  parts_.unit.clock().start(options_.trace);
}

TrainerResult Trainer::run() {
  const std::int64_t first = round_;
  if (warm_) start_timing();
  while (step_ < options_.total_steps && !stop_) {
    if (!warm_ && is_warm(first)) start_timing();
    if (progress() >= options_.interleave_until) interleave_.end_with_one(round_);
    round();
  }
  return stop_ ? result(false) : finish();
}

Exit Trainer::exit_when_lost() const {
  return checkpoint_writer_.has_checkpoint() ? Exit::again : Exit::failed;
}

void Trainer::round() {
  parts_.comm.set_stall_moment("in round " + std::to_string(round_), exit_when_lost());
  const std::int64_t before = step_;
  const auto steps =
      std::min<std::int64_t>(interleave_.steps(round_), options_.total_steps - step_);
  rule_->begin(words());
  double loss = 0;
  const double exposed_before_s = parts_.unit.clock().total_s(Phase::exposed);
  const double steps_began_s = now_s();
  for (std::int64_t k = 1; k <= steps; ++k) {
    loss += train_step();
    parts_.unit.clock().enter(Phase::validate);
    parts_.guard.score_until(static_cast<double>(k) / static_cast<double>(steps));
    parts_.unit.clock().enter(Phase::other);
  }
  const double step_s = (now_s() - steps_began_s) / static_cast<double>(steps);
  const auto sums = rule_->end();
  const double exposed_s = parts_.unit.clock().total_s(Phase::exposed) - exposed_before_s;
  const double round_s = now_s() - steps_began_s;
  round_loss_ = loss / static_cast<double>(steps);
  RoundTimes times{note_flights(), step_s, exposed_s, round_s};
  if (parts_.on_measured) parts_.on_measured(times);
  interleave_.record(times);
  ++round_;
  act(sums, before);
}

double Trainer::train_step() {
  const double began_s = now_s();
  const auto result = rule_->step(static_cast<std::uint64_t>(step_), static_cast<float>(rate()));
  step_times_.add(now_s() - began_s);
  if (!std::isfinite(result.loss)) {
    saw_non_finite_ = true;
    if (non_finite_step_ < 0) non_finite_step_ = step_;
  }
  ++step_;
  return result.loss;
}

ControlWords Trainer::words() {
  ControlWords words;
  const bool main_node = parts_.comm.rank() == 0;
  const bool late =
      main_node && options_.time_limit_s > 0 && now_s() - began_s_ > options_.time_limit_s;
  words.stop = late || (parts_.stop_requested && parts_.stop_requested()) ? 1.0F : 0.0F;
  words.non_finite = saw_non_finite_ ? 1.0F : 0.0F;
  const bool due =
      checkpoint_writer_.is_idle() && now_s() - checkpointed_s_ > options_.checkpoint_every_s;
  words.checkpoint = main_node && due ? 1.0F : 0.0F;
  words.checkpoint_ending = checkpoint_writer_.ending();
  words.exposed_share = static_cast<float>(weight() * interleave_.exposed_share(round_));
  words.train_loss = static_cast<float>(weight() * round_loss_);
  parts_.guard.send(words);
  saw_non_finite_ = false;
  return words;
}

double Trainer::note_flights() {
  double seconds = 0;
  for (const Flight& flight : rule_->flights()) {
    const double end_s = std::max(flight.start_s, flight.end_s);
    seconds += end_s - flight.start_s;
    if (warm_) parts_.unit.clock().add_event({flight.start_s, end_s, "exchange in flight", 1});
  }
  if (!warm_ || parts_.comm.size() == 1) return seconds;
  exchange_s_ += seconds;
  exchanges_ += rule_->exchanges();
  return seconds;
}

void Trainer::act(const ControlWords& sums, std::int64_t step_before) {
  if (round_ > 1) {
    loss_sum_ += static_cast<double>(sums.train_loss);
    ++loss_rounds_;
  }
  std::string fault;
  if (const auto verdict = parts_.guard.judge(sums)) fault = note(*verdict);
  if (sums.non_finite > 0 || !rule_->agreed_is_finite()) {
    fault = "the loss or the parameters of a unit are not finite";
  }
  if (!fault.empty()) {
    roll_back(fault);
  } else {
    if (parts_.guard.due(step_before, step_)) capture(step_before);
    take_mean(step_before);
  }
  interleave_.settle(round_ - 1, static_cast<double>(sums.exposed_share), parts_.comm);
  follow_wire();
  stop_ = sums.stop > 0;
  parts_.unit.clock().enter(Phase::checkpoint);
  checkpoint_writer_.advance(sums.checkpoint_ending);
  if (stop_) {
    write_last_checkpoint();
  } else if (sums.checkpoint > 0) {
    start_checkpoint();
  }
  parts_.unit.clock().enter(Phase::other);
  if (parts_.comm.rank() == 0 && parts_.on_progress) {
    const MetricsRow last = metrics_.empty() ? MetricsRow{} : metrics_.back();
    parts_.on_progress({step_, options_.total_steps, step_ * options_.global_batch, wall_s(now_s()),
                        static_cast<double>(sums.train_loss), last.validation_loss, last.oa});
  }
}

void Trainer::capture(std::int64_t step_before) {
  rule_->settle();
  const bool delayed = parts_.comm.size() > 1 && options_.exchange == ExchangeKind::oida;
  parts_.guard.capture(round_ - 1, delayed ? step_before : step_, rule_->agreed());
}

void Trainer::take_mean(std::int64_t step_before) {
  if (!tail_mean_.due(step_before, step_)) return;
  rule_->settle();
  tail_mean_.take(rule_->agreed());
}

std::string Trainer::note(const Verdict& verdict) {
  MetricsRow row;
  row.round = verdict.round;
  row.step = verdict.step;
  row.samples = verdict.step * options_.global_batch;
  row.wall_s = wall_s(now_s());
  row.train_loss = loss_rounds_ > 0 ? loss_sum_ / static_cast<double>(loss_rounds_) : round_loss_;
  const bool validated = parts_.guard.validates();
  row.validation_loss = validated ? verdict.loss : std::nan("");
  row.oa = validated ? verdict.accuracy : std::nan("");
  row.interleave = interleave_.steps(verdict.round);
  row.learning_rate = rate();
  row.optimum = verdict.improved;
  metrics_.push_back(row);
  loss_sum_ = 0;
  loss_rounds_ = 0;
  if (!verdict.diverged) return "";
  std::ostringstream fault;
  fault << "validation loss " << verdict.loss << " in round " << verdict.round << " is above "
        << parts_.guard.options().factor << " x the optimum's " << parts_.guard.optimum().loss;
  return fault.str();
}

void Trainer::give_up(const std::string& reason) {
  checkpoint_writer_.finish();
  std::vector<std::int64_t> seen{non_finite_step_ >= 0 ? 1 : 0};
  parts_.comm.sum(seen);
  if (seen.front() == 0) non_finite_step_ = step_ - 1;  // the merged parameters alone show it
  if (non_finite_step_ >= 0 && parts_.on_give_up) parts_.on_give_up(non_finite_step_);
  throw AgreedError(
      "training: " + reason + " in round " + std::to_string(round_ - 1) +
          (parts_.guard.options().on ? " after " + std::to_string(rollbacks_) + " rollbacks"
                                     : " (oida.guard = off)"),
      Exit::failed);
}

void Trainer::roll_back(const std::string& reason) {
  const auto& guard = parts_.guard.options();
  if (!guard.on || rollbacks_ == guard.retries) give_up(reason);
  ++rollbacks_;
  rule_->settle();
  const auto& optimum = *parts_.guard.optimum().parameters;
  std::copy(optimum.begin(), optimum.end(), parts_.unit.x().begin());
  parts_.unit.optimizer().reset();
  rule_->restart();
  parts_.guard.drop_candidates();
  tail_mean_.restart();
  rate_scale_ *= 0.5;
  saw_non_finite_ = false;
  non_finite_step_ = -1;
  say("rolled back to the optimum of round " + std::to_string(parts_.guard.optimum().round) + ": " +
      reason);
}

void Trainer::start_checkpoint() {
  if (parts_.checkpoints == nullptr) return;
  rule_->settle();
  snapshot_s_ = now_s();
  checkpointed_s_ = snapshot_s_;
  take_unit();
  if (parts_.comm.rank() == 0) take_common();
  const Engine& engine = parts_.unit.engine();
  checkpoint_writer_.start(
      round_, [this, &engine] { return unit_snapshot_.take(engine); },
      [this, &engine] { return common_snapshot_.take(engine); });
}

void Trainer::write_last_checkpoint() {
  checkpoint_writer_.finish();
  start_checkpoint();
  checkpoint_writer_.finish();
}

TrainerResult Trainer::finish() {
  const auto sums = rule_->final_mean(words());
  note_flights();
  if (const auto verdict = parts_.guard.judge(sums)) note(*verdict);
  parts_.unit.clock().stop();
  train_s_ += now_s() - timing_since_s_;
  if (parts_.guard.options().on) {
    settle_candidates();
  } else {
    if (!rule_->agreed_is_finite()) roll_back("the final parameters are not finite");
    parts_.guard.begin_with(tail_mean_.taken() > 0 ? tail_mean_.mean() : rule_->agreed());
    parts_.guard.optimum().round = round_;
  }
  return result(true);
}

void Trainer::settle_candidates() {
  if (rule_->agreed_is_finite()) parts_.guard.capture(round_, step_, rule_->agreed());
  if (tail_mean_.taken() > 0) parts_.guard.capture(round_, step_, tail_mean_.mean());
  const auto sum_words = [this](const ControlWords& words) {
    std::vector<double> values{static_cast<double>(words.validation_loss),
                               static_cast<double>(words.validation_correct)};
    parts_.comm.sum(values);
    ControlWords sums;
    sums.validation_loss = static_cast<float>(values[0]);
    sums.validation_correct = static_cast<float>(values[1]);
    return sums;
  };
  for (const auto& verdict : parts_.guard.settle(sum_words)) note(verdict);
}

TrainerResult Trainer::result(bool finished) {
  rule_->settle();
  checkpoint_writer_.finish();
  TrainerResult result;
  result.finished = finished;
  result.has_checkpoint = !finished && checkpoint_writer_.still_has_checkpoint();
  result.parameters = canonical(*parts_.guard.optimum().parameters);
  result.optimum_loss = parts_.guard.optimum().loss;
  result.optimum_round = parts_.guard.optimum().round;
  result.rounds = round_;
  return result;
}

UnitTiming Trainer::unit_timing() const {
  const PhaseClock& clock = parts_.unit.clock();
  UnitTiming timing;
  timing.rank = parts_.comm.rank();
  timing.host = parts_.comm.placement()[static_cast<std::size_t>(timing.rank)].host;
  timing.data_wait_s = clock.total_s(Phase::data_wait);
  timing.compute_s = clock.total_s(Phase::compute);
  timing.exposed_s = clock.total_s(Phase::exposed);
  timing.validate_s = clock.total_s(Phase::validate);
  timing.checkpoint_s = clock.total_s(Phase::checkpoint);
  timing.other_s = clock.total_s(Phase::other);
  timing.exchange_s = exchange_s_;
  timing.step_ms = step_times_.summary();
  return timing;
}

void Trainer::fill(Timing& timing) const {
  timing.exchange = to_string(options_.exchange);
  timing.wire = to_string(wire_);
  timing.interleave = interleave_.steps(round_);
  timing.samples = (step_ - timed_from_step_) * options_.global_batch;
  timing.exchanges = exchanges_;
  timing.bytes_per_exchange = rule_->bytes_per_exchange();
  for (const float count : rule_->staleness()) {
    timing.staleness.push_back(static_cast<std::int64_t>(count));
  }
  timing.train_s = train_s_;
  timing.warmup_s = warmup_s_;
}

}  // namespace oida
