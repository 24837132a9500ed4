#include "oida/unit.hpp"

#include <algorithm>

#include "engine/norm.hpp"

namespace oida {

namespace {

constexpr auto kNoStep = ~std::uint64_t{0};

OptimizerOptions with_threads(OptimizerOptions options, int threads) {
  options.threads = threads;
  return options;
}

}  // namespace

Unit::Unit(Engine& engine, Sampler& sampler, const PatchStore& store,
           const OptimizerOptions& optimizer)
    : engine_(engine),
      sampler_(sampler),
      store_(store),
      optimizer_(with_threads(optimizer, engine.options().threads), engine.flat_size()),
      resident_(
          engine.make_resident(optimizer, sampler.changes_pixels() ? Scene{} : store.scene())),
      x_(engine.flat_size()),
      gradient_(engine.flat_size()),
      moments_(engine.moments()),
      batch_(make_batch(engine)) {
  batch_.n = engine.options().max_batch;
  if (resident_ != nullptr) {
    ahead_.assign(2, make_batch(engine));
    ahead_steps_.assign(2, kNoStep);
    if (resident_->holds_scene()) {
      for (Batch& batch : ahead_) batch.name_patches();
    }
  }
  std::size_t values = 0;
  for (const FlatRange& range : moments_) values += range.size;
  kept_.resize(values);
}

StepResult Unit::gradient(std::uint64_t step, const Poll& poll) {
  clock_.enter(Phase::data_wait);
  sampler_.fill(step, store_, batch_);
  clock_.enter(Phase::compute);
  const auto result = engine_.step(batch_, x(), gradient_, poll);
  clock_.enter(Phase::other);
  return result;
}

StepResult Unit::train(std::uint64_t step, float rate, const Poll& poll) {
  if (resident_ != nullptr) return train_resident(step, rate, poll);
  const auto result = gradient(step, poll);
  update(step, rate);
  return result;
}

/// Steps go up by one, so the two batches take turns; any other step is made anew.
const Batch& Unit::prepared(std::uint64_t step) {
  const std::size_t at = step % 2;
  if (ahead_steps_[at] != step) {
    sampler_.fill(step, store_, ahead_[at]);
    ahead_steps_[at] = step;
  }
  return ahead_[at];
}

StepResult Unit::train_resident(std::uint64_t step, float rate, const Poll& poll) {
  clock_.enter(Phase::data_wait);
  const Batch& batch = prepared(step);
  clock_.enter(Phase::compute);
  const auto result =
      resident()->step(batch, rate, step, poll, [&] { return &prepared(step + 1); });
  clock_.enter(Phase::other);
  return result;
}

ResidentTraining* Unit::resident() {
  if (resident_ != nullptr && !away_) {
    resident_->put(x_, optimizer_);
    away_ = true;
  }
  return resident_.get();
}

void Unit::bring_home() {
  if (!away_) return;
  const Phase before = clock_.enter(Phase::compute);
  resident_->get(x_, optimizer_);
  away_ = false;
  clock_.enter(before);
}

void Unit::update(std::uint64_t step, float rate) {
  clock_.enter(Phase::compute);
  bring_home();
  update(x_, gradient_, step, rate, 1.0F);
  clock_.enter(Phase::other);
}

void Unit::update(std::span<float> x, std::span<const float> gradient, std::uint64_t step,
                  float rate, float share) {
  auto kept = kept_.begin();
  for (const FlatRange& range : moments_) {
    kept = std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(range.first), range.size, kept);
  }
  optimizer_.update(x, gradient, rate * share, step);
  kept = kept_.begin();
  for (const FlatRange& range : moments_) {
    for (std::size_t i = range.first; i < range.first + range.size; ++i) {
      x[i] = *kept++ - kMomentShare * share * gradient[i];
    }
  }
}

}  // namespace oida
