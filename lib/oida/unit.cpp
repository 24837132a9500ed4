#include "oida/unit.hpp"

namespace oida {

namespace {

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
      x_(engine.flat_size()),
      gradient_(engine.flat_size()),
      batch_(make_batch(engine)) {
  batch_.n = engine.options().max_batch;
}

StepResult Unit::gradient(std::uint64_t step, const Poll& poll) {
  clock_.enter(Phase::data_wait);
  sampler_.fill(step, store_, batch_);
  clock_.enter(Phase::compute);
  const auto result = engine_.step(batch_, x_, gradient_, poll);
  clock_.enter(Phase::other);
  return result;
}

void Unit::update(std::uint64_t step, float rate) {
  clock_.enter(Phase::compute);
  optimizer_.update(x_, gradient_, rate, step);
  clock_.enter(Phase::other);
}

}  // namespace oida
