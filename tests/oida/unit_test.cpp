#include "oida/unit.hpp"

#include <filesystem>
#include <iterator>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace oida::test
