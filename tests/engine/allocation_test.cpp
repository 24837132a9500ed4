// Nothing is allocated in the steady state: by oneDNN itself, only tables of arguments.

#include <tuple>

#include <gtest/gtest.h>

#include "allocations.hpp"
#include "nn/optimizer.hpp"
#include "problem.hpp"

namespace oida::test {
namespace {

class SteadyState : public testing::TestWithParam<std::tuple<EngineKind, std::string>> {};

TEST(AllocationWatch, SeesPlainAndAlignedAllocations) {
  AllocationWatch watch;
  const std::vector<int> plain(10);
  const AlignedVector<float> aligned(10);
  EXPECT_EQ(watch.stop().ours, 2U);
}

TEST_P(SteadyState, AllocatesNothingInStepUpdateAndPredict) {
  const auto& [kind, name] = GetParam();
  const Problem problem = make_problem(case_of(name));
  const auto engine = engine_for(problem, kind);
  Batch batch = make_batch(*engine);
  fill(problem, batch);
  AlignedVector<float> flat(engine->flat_size());
  AlignedVector<float> gradient(engine->flat_size());
  std::vector<float> probabilities(static_cast<std::size_t>(batch.n) * batch.sample_labels *
                                   static_cast<std::size_t>(problem.of.classes));
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
  AllocationWatch watch;
  for (std::uint64_t step = 1; step < 4; ++step) round(step);
  const Allocations seen = watch.stop();
  EXPECT_EQ(seen.ours, 0U);
  EXPECT_LE(seen.largest_onednn_bytes, 4096U) << "of " << seen.onednn;
  EXPECT_GT(polls, 0U);
}

/// All engines but the oracle.
std::vector<EngineKind> fast_kinds() {
  auto kinds = engine_kinds();
  std::erase_if(kinds, [](const EngineKind& kind) { return kind.kind == "reference"; });
  return kinds;
}

std::string name_of(const testing::TestParamInfo<SteadyState::ParamType>& test) {
  return testing::PrintToString(std::get<0>(test.param)) + "_" + std::get<1>(test.param);
}

INSTANTIATE_TEST_SUITE_P(Engines, SteadyState,
                         testing::Combine(testing::ValuesIn(engine_kinds()),
                                          testing::Values("dropout")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(FastEngines, SteadyState,
                         testing::Combine(testing::ValuesIn(fast_kinds()),
                                          testing::Values("group_norm", "batch_norm", "mod_relu",
                                                          "complex_max_pool", "small_unet",
                                                          "unet_of_whole_blocks")),
                         name_of);

}  // namespace
}  // namespace oida::test
