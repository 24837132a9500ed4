// Every engine's class probabilities against the reference in double.

#include <tuple>

#include <gtest/gtest.h>

#include "problem.hpp"

namespace oida::test {
namespace {

using EngineCase = std::tuple<EngineKind, std::string>;

class Predictions : public testing::TestWithParam<EngineCase> {};

std::vector<float> predict(Engine& engine, const Problem& problem) {
  Batch batch = make_batch(engine);
  fill(problem, batch);
  AlignedVector<float> flat(engine.flat_size());
  engine.import_flat(problem.parameters, flat);
  std::vector<float> probabilities(static_cast<std::size_t>(batch.n) * batch.sample_labels *
                                   static_cast<std::size_t>(problem.of.classes));
  engine.predict(batch, flat, probabilities);
  return probabilities;
}

TEST_P(Predictions, AgreeWithTheReference) {
  const auto& [kind, name] = GetParam();
  const Problem problem = make_problem(case_of(name));
  const Expected expected = expected_of(problem);
  const auto engine = engine_for(problem, kind);
  const auto probabilities = predict(*engine, problem);
  ASSERT_EQ(probabilities.size(), expected.probabilities.size());
  for (std::size_t k = 0; k < probabilities.size(); ++k) {
    EXPECT_NEAR(probabilities[k], expected.probabilities[k], 1e-5);
  }
}

TEST_P(Predictions, DoNotDisturbAStep) {
  const auto& [kind, name] = GetParam();
  const Problem problem = make_problem(case_of(name));
  const auto engine = engine_for(problem, kind);
  const Outcome alone = step_of(*engine, problem);
  const auto before = predict(*engine, problem);
  const Outcome after = step_of(*engine, problem);
  EXPECT_EQ(after.gradient, alone.gradient);
  EXPECT_EQ(after.result.loss, alone.result.loss);
  EXPECT_EQ(predict(*engine, problem), before);
}

INSTANTIATE_TEST_SUITE_P(
    Engines, Predictions,
    testing::Combine(testing::ValuesIn(engine_kinds()),
                     testing::Values("conv", "max_pool", "average_pool", "dropout", "full_batch",
                                     "oceantda9", "batch_norm", "group_norm", "dense_output",
                                     "small_unet", "unet_of_whole_blocks", "cv_cnn")),
    [](const auto& test) {
      return testing::PrintToString(std::get<0>(test.param)) + "_" + std::get<1>(test.param);
    });

}  // namespace
}  // namespace oida::test
