#include "oida/unit.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include <gtest/gtest.h>

#include "engine/cuda/memory_plan.hpp"
#include "host_card.hpp"
#include "oida/problem.hpp"

namespace oida::test {
namespace {

std::ptrdiff_t threads_of_this_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

/// A second thread on the rank's one core would take it away in time slices of milliseconds.
TEST(UnitTest, ComputesWithTheThreadsOfItsEngineOnly) {
  const Problem problem;
  EngineOptions options;
  options.kind = "onednn";
  options.max_batch = 8;
  options.threads = 1;
  const auto engine =
      make_engine(from_lines({"conv 8 3 relu", "dense 512 relu"}, {3, 5, 5}, 3), options);
  ASSERT_GT(engine->flat_size(), 100'000U);
  SamplerOptions sampling;
  sampling.batch = 8;
  Sampler sampler(problem.training, 3, sampling);
  Unit unit(*engine, sampler, problem.store, OptimizerOptions{});
  const auto before = threads_of_this_process();
  unit.gradient(0, [](std::size_t) {});
  unit.update(0, 0.01F);
  EXPECT_EQ(threads_of_this_process(), before);
}

/// Where an engine keeps the parameters, a unit's steps are the same, and what is read or changed
/// between them is what the engine goes on with.
TEST(UnitTest, TrainsAlikeWhereTheEngineKeepsTheParameters) {
  const Problem problem;
  EngineOptions options;
  options.max_batch = 8;
  SamplerOptions sampling;
  sampling.batch = 8;
  Sampler sampler(problem.training, 3, sampling);
  const auto normed = from_lines({"conv 4 3", "batch_norm", "dense 8"}, {3, 5, 5}, 3);
  for (const Network& network : {smooth_network(), normed}) {
    const auto engine = make_host_card_engine(network, options);
    Unit stays(*engine, sampler, problem.store, OptimizerOptions{});
    Unit travels(*engine, sampler, problem.store, OptimizerOptions{});
    const auto start = initial_parameters(engine->network(), 3);
    engine->import_flat(start, stays.x());
    engine->import_flat(start, travels.x());
    for (std::uint64_t step = 0; step < 6; ++step) {
      const auto theirs = travels.gradient(step, {});
      travels.update(step, 0.05F);
      EXPECT_NEAR(stays.train(step, 0.05F, {}).loss, theirs.loss, 1e-5) << step;
      if (step % 3 == 1) {  // as a merge does
        for (Unit* unit : {&stays, &travels}) unit->x()[0] += 0.5F;
      }
    }
    EXPECT_LT(distance(stays.x(), travels.x()), 1e-5);
    if (!engine->moments().empty()) continue;  // no optimizer's state counts there
    EXPECT_LT(distance(stays.optimizer().slot(0), travels.optimizer().slot(0)), 1e-5);
  }
}

/// Patches cut on the card from a scene that stays there, and batches that travel while the one
/// before is computed on, where the scene does not fit: the same bits. Steps need not go up by one.
TEST(UnitTest, TrainsAlikeWhereverItsBatchesAreCut) {
  const Problem problem;
  EngineOptions options;
  options.max_batch = 4;
  SamplerOptions sampling;
  sampling.batch = 4;
  sampling.augmentation = Augmentation::dihedral;
  Sampler sampler(problem.training, 3, sampling);
  const std::size_t scene = problem.store.scene().floats() * sizeof(float);
  const auto roomy = make_host_card_engine(smooth_network(), options);
  do {
    options.memory_limit_bytes += scene / 8;
  } while (cuda::planned_bytes(smooth_network(), options) > options.memory_limit_bytes);
  const auto tight = make_host_card_engine(smooth_network(), options);
  ASSERT_TRUE(roomy->has_room_for_scene(scene));
  ASSERT_FALSE(tight->has_room_for_scene(scene));
  Unit cut_there(*roomy, sampler, problem.store, OptimizerOptions{});
  Unit cut_here(*tight, sampler, problem.store, OptimizerOptions{});
  const auto start = initial_parameters(roomy->network(), 3);
  roomy->import_flat(start, cut_there.x());
  tight->import_flat(start, cut_here.x());
  for (const std::uint64_t step : {0, 1, 2, 3, 9, 10, 4, 5}) {
    const auto there = cut_there.train(step, 0.05F, {});
    EXPECT_EQ(there.loss, cut_here.train(step, 0.05F, {}).loss) << step;
    EXPECT_GT(there.loss, 0.0) << step;
  }
  EXPECT_TRUE(std::ranges::equal(cut_there.x(), cut_here.x()));
}

/// A momentum, a decay or a rate would move them elsewhere.
TEST(UnitTest, MovesRunningMomentsByTheirShareOnly) {
  const Problem problem;
  EngineOptions options;
  options.kind = "reference";
  options.max_batch = 8;
  const auto engine = make_engine(from_lines({"conv 4 3", "batch_norm"}, {3, 5, 5}, 3), options);
  ASSERT_EQ(engine->moments().size(), 2U);
  SamplerOptions sampling;
  sampling.batch = 8;
  Sampler sampler(problem.training, 3, sampling);
  OptimizerOptions optimizer;
  optimizer.weight_decay = 0.1F;
  Unit unit(*engine, sampler, problem.store, optimizer);
  engine->import_flat(initial_parameters(engine->network(), 3), unit.x());
  for (std::uint64_t step = 0; step < 3; ++step) {
    unit.gradient(step, {});
    const std::vector<float> before(unit.x().begin(), unit.x().end());
    unit.update(step, 0.5F);
    for (const auto& range : engine->moments()) {
      for (std::size_t i = range.first; i < range.first + range.size; ++i) {
        EXPECT_FLOAT_EQ(unit.x()[i], before[i] - 0.1F * unit.gradient_span()[i]) << i;
        EXPECT_NE(unit.x()[i], before[i]) << i;
      }
    }
  }
}

/// As a server does: the first step of sgd goes along the gradient itself.
TEST(UnitTest, UpdatesParametersKeptApartByAShare) {
  const Problem problem;
  EngineOptions options;
  options.kind = "reference";
  options.max_batch = 8;
  const auto engine = make_engine(from_lines({"conv 4 3", "batch_norm"}, {3, 5, 5}, 3), options);
  SamplerOptions sampling;
  sampling.batch = 8;
  Sampler sampler(problem.training, 3, sampling);
  Unit unit(*engine, sampler, problem.store, OptimizerOptions{});
  const std::vector<float> before(engine->flat_size(), 2.0F);
  const std::vector<float> gradient(engine->flat_size(), 3.0F);
  AlignedVector<float> apart(before.begin(), before.end());
  unit.update(apart, gradient, 0, 0.5F, 0.25F);
  std::vector<float> expected(before.size(), 2.0F - 0.5F * 0.25F * 3.0F);
  for (const auto& range : engine->moments()) {
    for (std::size_t i = range.first; i < range.first + range.size; ++i) {
      expected[i] = 2.0F - 0.1F * 0.25F * 3.0F;
    }
  }
  EXPECT_LT(distance(apart, expected), 1e-6);
}

}  // namespace
}  // namespace oida::test
