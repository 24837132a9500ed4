// An engine in canonical order against the engine that it holds.

#include "engine/canonical_engine.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "problem.hpp"

namespace oida::test {
namespace {

TEST(CanonicalEngine, HasTheCanonicalOrderAndTheSameNumbers) {
  for (const char* name : {"dropout", "batch_norm", "small_unet"}) {
    const Problem problem = make_problem(case_of(name));
    const auto plain = engine_for(problem, {"cuda_host"});
    const auto engine = in_canonical_order(engine_for(problem, {"cuda_host"}));
    ASSERT_EQ(engine->flat_size(), problem.parameters.size());
    EXPECT_EQ(step_of(*engine, problem).gradient, step_of(*plain, problem).gradient) << name;
    Batch batch = make_batch(*engine);
    fill(problem, batch);
    std::vector<float> gradient(engine->flat_size());
    std::vector<std::size_t> ready;
    engine->step(batch, problem.parameters, gradient,
                 [&](std::size_t from) { ready.push_back(from); });
    EXPECT_EQ(gradient, step_of(*plain, problem).gradient) << name;
    EXPECT_EQ(ready.front(), engine->flat_size());
    EXPECT_EQ(std::count(ready.begin(), ready.end(), 0U), 1);
  }
}

TEST(CanonicalEngine, NamesTheMomentsInCanonicalOrder) {
  const Problem problem = make_problem(case_of("batch_norm"));
  const auto engine = in_canonical_order(engine_for(problem, {"cuda_host"}));
  const auto reference = engine_for(problem, {"reference"});
  ASSERT_EQ(engine->moments().size(), reference->moments().size());
  for (std::size_t k = 0; k < engine->moments().size(); ++k) {
    EXPECT_EQ(engine->moments()[k].first, reference->moments()[k].first);
    EXPECT_EQ(engine->moments()[k].size, reference->moments()[k].size);
  }
}

TEST(CanonicalEngine, KeepsParametersWhereItsEngineDoes) {
  const Problem problem = make_problem(case_of("batch_norm"));
  const auto plain = engine_for(problem, {"cuda_host"});
  const auto engine = in_canonical_order(engine_for(problem, {"cuda_host"}));
  const OptimizerOptions options{.weight_decay = 0.01F};
  const auto theirs = plain->make_resident(options, {});
  const auto ours = engine->make_resident(options, {});
  Batch batch = make_batch(*engine);
  fill(problem, batch);
  AlignedVector<float> flat(plain->flat_size());
  plain->import_flat(problem.parameters, flat);
  std::vector<float> x = problem.parameters, wire(x.size());
  Optimizer flat_state(options, flat.size()), state(options, x.size());
  theirs->put(flat, flat_state);
  ours->put(x, state);
  ours->send(0.5F);
  while (!ours->sent(wire)) continue;
  for (std::size_t k = 0; k < x.size(); ++k) EXPECT_EQ(wire[k], 0.5F * x[k]);
  for (std::uint64_t step = 0; step < 3; ++step) {
    theirs->step(batch, 0.05F, step, {}, {});
    ours->step(batch, 0.05F, step, {}, {});
  }
  theirs->get(flat, flat_state);
  ours->get(x, state);
  std::vector<float> expected(x.size());
  plain->export_flat(flat, expected);
  EXPECT_EQ(x, expected);
  plain->export_flat(flat_state.slot(0), expected);
  EXPECT_TRUE(std::ranges::equal(state.slot(0), expected));
  ours->merge(x);  // x + (x - s), s what was sent at the start
  std::vector<float> merged(x.size());
  ours->get(merged, state);
  for (std::size_t k = 0; k < x.size(); ++k) {
    EXPECT_FLOAT_EQ(merged[k], x[k] + (x[k] - problem.parameters[k]));
  }
}

TEST(CanonicalEngine, OrdersAreToldApart) {
  const Problem problem = make_problem(case_of("conv"));
  const auto checksum = [&](const EngineKind& kind) {
    return order_checksum(*engine_for(problem, kind));
  };
  EXPECT_EQ(checksum({"cuda_host"}), checksum({"cuda_host"}));
  EXPECT_NE(checksum({"cuda_host"}), checksum({"reference"}));
  EXPECT_EQ(checksum({"onednn", 1}), checksum({"onednn", 2}));
  EXPECT_EQ(order_checksum(*in_canonical_order(engine_for(problem, {"cuda_host"}))),
            checksum({"reference"}));
}

}  // namespace
}  // namespace oida::test
