#include "oida/guard.hpp"

#include <algorithm>
#include <cmath>

namespace oida {

Guard::Guard(Engine& engine, const PatchStore& store, std::vector<Sample> share, std::size_t total,
             const GuardOptions& options, const TileLabels* labels)
    : evaluator_(engine, store, labels),
      share_(std::move(share)),
      total_(total),
      options_(options) {}

void Guard::begin_with(std::span<const float> parameters) {
  optimum_ = Optimum{};
  optimum_.parameters = shared_array(parameters);
}

bool Guard::due(std::int64_t step_before, std::int64_t step_after) const {
  return options_.on &&
         step_before / options_.validate_every != step_after / options_.validate_every;
}

void Guard::capture(std::int64_t round, std::int64_t step, std::span<const float> parameters) {
  Candidate candidate;
  candidate.round = round;
  candidate.step = step;
  candidate.parameters = shared_array(parameters);
  candidates_.push_back(std::move(candidate));
}

void Guard::score_until(double done) {
  if (candidates_.empty()) return;
  const double all = static_cast<double>(evaluator_.batches(share_.size()));
  const auto wanted = static_cast<std::size_t>(std::ceil(done * all));
  for (Candidate& candidate : candidates_) {
    while (candidate.next < share_.size() && evaluator_.batches(candidate.next) < wanted) {
      candidate.next +=
          evaluator_.add_batch(*candidate.parameters, share_, candidate.next, candidate.score);
    }
  }
}

void Guard::send(ControlWords& words) {
  if (candidates_.empty()) return;
  Candidate& oldest = candidates_.front();
  if (oldest.next < share_.size()) return;
  const auto total = static_cast<double>(std::max<std::size_t>(total_, 1));
  words.validation_loss = static_cast<float>(oldest.score.loss / total);
  words.validation_correct = static_cast<float>(oldest.score.correct / total);
  oldest.sent = true;
}

std::optional<Verdict> Guard::judge(const ControlWords& sums) {
  if (candidates_.empty() || !candidates_.front().sent) return std::nullopt;
  Candidate candidate = std::move(candidates_.front());
  candidates_.pop_front();
  Verdict verdict{candidate.round,         candidate.step, sums.validation_loss,
                  sums.validation_correct, false,          false};
  verdict.diverged = !std::isfinite(verdict.loss) || verdict.loss > options_.factor * optimum_.loss;
  verdict.improved = !verdict.diverged && (verdict.loss < optimum_.loss || total_ == 0);
  if (verdict.improved) {
    optimum_ = {std::move(candidate.parameters), verdict.loss, verdict.accuracy, verdict.round,
                verdict.step};
  }
  return verdict;
}

}  // namespace oida
