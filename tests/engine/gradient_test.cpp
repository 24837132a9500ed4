// Every engine's step against the reference in double.

#include <tuple>

#include <gtest/gtest.h>

#include "problem.hpp"

namespace oida::test {
namespace {

using EngineCase = std::tuple<EngineKind, Case>;

class Gradients : public testing::TestWithParam<EngineCase> {};

/// Relative, in the Euclidean norm of each parameter array: |engine - reference| / |reference|.
constexpr double kTolerance = 1e-4;

TEST_P(Gradients, AgreeWithTheReference) {
  const auto& [kind, of] = GetParam();
  const Problem problem = make_problem(of);
  const Expected expected = expected_of(problem);
  const auto engine = engine_for(problem, kind);
  const Outcome outcome = step_of(*engine, problem);
  EXPECT_NEAR(outcome.result.loss, expected.result.loss, 1e-5 * expected.result.loss);
  EXPECT_EQ(outcome.result.correct, expected.result.correct);
  for (const auto& array : parameters(problem.network)) {
    const auto ours = std::span(outcome.gradient).subspan(array.offset, array.size);
    const auto theirs = std::span(expected.gradient).subspan(array.offset, array.size);
    EXPECT_LT(distance(ours, theirs), kTolerance) << array.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Gradients,
                         testing::Combine(testing::ValuesIn(engine_kinds()),
                                          testing::ValuesIn(cases())),
                         [](const auto& test) {
                           return testing::PrintToString(std::get<0>(test.param)) + "_" +
                                  std::get<1>(test.param).name;
                         });

}  // namespace
}  // namespace oida::test
