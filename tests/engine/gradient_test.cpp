// Every engine's step against the reference in double.

#include <cmath>
#include <numeric>
#include <span>
#include <tuple>

#include <gtest/gtest.h>

#include "problem.hpp"

namespace oida::test {
namespace {

using EngineCase = std::tuple<EngineKind, Case>;

class Gradients : public testing::TestWithParam<EngineCase> {};

/// Relative, in the Euclidean norm of each parameter array: |engine - reference| / |reference|.
constexpr double kTolerance = 1e-4;
/// Of the whole gradient's norm: an array whose true gradient is zero (a bias that a batch norm
/// takes out again) has the rounding of sums that cancel.
constexpr double kNothing = 1e-6;

template <typename T>
double norm(std::span<const T> values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

TEST_P(Gradients, AgreeWithTheReference) {
  const auto& [kind, of] = GetParam();
  const Problem problem = make_problem(of);
  const Expected expected = expected_of(problem);
  const auto engine = engine_for(problem, kind);
  const Outcome outcome = step_of(*engine, problem);
  EXPECT_NEAR(outcome.result.loss, expected.result.loss, 1e-5 * expected.result.loss);
  EXPECT_EQ(outcome.result.correct, expected.result.correct);
  const double nothing = kNothing * norm(std::span<const double>(expected.gradient));
  for (const auto& array : parameters(problem.network)) {
    const auto ours = std::span<const float>(outcome.gradient).subspan(array.offset, array.size);
    const auto theirs =
        std::span<const double>(expected.gradient).subspan(array.offset, array.size);
    if (norm(theirs) < 1e-6 * nothing) {
      EXPECT_LT(norm(ours), nothing) << array.name;
    } else {
      EXPECT_LT(distance(ours, theirs), kTolerance) << array.name;
    }
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
