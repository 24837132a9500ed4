// Nothing is allocated in the steady state.

#include <gtest/gtest.h>

#include "allocations.hpp"
#include "nn/optimizer.hpp"
#include "problem.hpp"

namespace oida::test {
namespace {

class Allocations : public testing::TestWithParam<EngineKind> {};

TEST(AllocationCounter, SeesPlainAndAlignedAllocations) {
  const std::size_t before = allocations();
  const std::vector<int> plain(10);
  EXPECT_EQ(allocations(), before + 1);
  const AlignedVector<float> aligned(10);
  EXPECT_EQ(allocations(), before + 2);
}

TEST_P(Allocations, NoneInStepUpdateAndPredict) {
  const Problem problem = make_problem(case_of("dropout"));
  const auto engine = engine_for(problem, GetParam());
  Batch batch = make_batch(*engine);
  fill(problem, batch);
  AlignedVector<float> flat(engine->flat_size());
  AlignedVector<float> gradient(engine->flat_size());
  std::vector<float> probabilities(static_cast<std::size_t>(batch.n * problem.of.classes));
  engine->import_flat(problem.parameters, flat);
  Optimizer optimizer({}, flat.size());
  std::size_t polls = 0;
  const Poll poll = [&polls](std::size_t) { ++polls; };
  const auto round = [&](std::uint64_t step) {
    engine->step(batch, flat, gradient, poll);
    optimizer.update(flat, gradient, 0.01F, step);
    engine->predict(batch, flat, probabilities);
  };
  round(0);  // a library may set up threads and caches once
  const std::size_t before = allocations();
  for (std::uint64_t step = 1; step < 4; ++step) round(step);
  EXPECT_EQ(allocations(), before);
  EXPECT_GT(polls, 0U);
}

INSTANTIATE_TEST_SUITE_P(Engines, Allocations, testing::ValuesIn(engine_kinds()),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace oida::test
