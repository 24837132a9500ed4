// What is the cuda engine's own: bf16, layout, algorithms to replay, memory plan, refusals.

#include <cstdlib>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "engine/cuda/algorithm_line.hpp"
#include "engine/cuda/layout.hpp"
#include "engine/cuda/memory_plan.hpp"
#include "host_card.hpp"
#include "problem.hpp"

namespace oida::test {
namespace {

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.message();
  }
  return "nothing was refused";
}

TEST(CudaEngine, RunsTheCommonSuiteWhereThereIsAGpu) {
  const char* required = std::getenv("OIDA_REQUIRE_GPU");
  if (!has_gpu() && (required == nullptr || std::string(required) != "1")) {
    GTEST_SKIP() << "not run: no GPU";
  }
  EXPECT_TRUE(has_gpu()) << "OIDA_REQUIRE_GPU=1";
  EXPECT_EQ(engine_kinds().back().kind, "cuda");
}

TEST(CudaEngine, LoadsItsLibrariesWithoutAGpu) {
  const std::string libraries = cuda_libraries();
  EXPECT_EQ(libraries.rfind("cuBLAS 1", 0) == 0, has_cuda_engine()) << libraries;
  EXPECT_EQ(libraries.find(", cuDNN ") != std::string::npos, has_cuda_engine()) << libraries;
}

TEST(CudaEngine, SaysWhyItCannotBeMade) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  EngineOptions options;
  options.kind = "cuda";
  const Network network = from_lines({"conv 4 3 relu"}, {9, 7, 9}, 3);
  const std::string said = refusal([&] { make_engine(network, options); });
  EXPECT_EQ(said.rfind("device.engine: cuda: ", 0), 0U) << said;
  EXPECT_EQ(said.find("GPU 0 of 0 visible") != std::string::npos, has_cuda_engine()) << said;
}

/// bf16 keeps 8 bits of a value: one rounding is off by 2^-9, a few layers by a hundredth or so.
TEST(CudaEngine, GradientsInBf16AreNearTheReference) {
  for (const char* name : {"conv", "dense", "average_pool"}) {
    const Problem problem = make_problem(case_of(name));
    EngineOptions options;
    options.precision = "bf16";
    options.max_batch = problem.of.capacity;
    const auto engine = make_host_card_engine(problem.network, options);
    const Outcome outcome = step_of(*engine, problem);
    const Expected expected = expected_of(problem);
    EXPECT_NEAR(outcome.result.loss, expected.result.loss, 0.02 * expected.result.loss) << name;
    const double off = distance(outcome.gradient, expected.gradient);
    EXPECT_LT(off, 0.1) << name;
    EXPECT_GT(off, 1e-5) << name << " was not rounded";
  }
}

/// Steps with parameters that travel, and with parameters that stay; a prediction between them.
void expect_equal_training(const OptimizerOptions& options) {
  const Problem problem = make_problem(case_of("dropout"));
  const auto engine = engine_for(problem, {"cuda_host"});
  const auto resident = engine->make_resident(options, {});
  Batch batch = make_batch(*engine);
  fill(problem, batch);
  AlignedVector<float> x(engine->flat_size()), gradient(x.size()), stays(x.size());
  std::vector<float> probabilities(static_cast<std::size_t>(batch.n * problem.of.classes));
  engine->import_flat(problem.parameters, x);
  Optimizer optimizer(options, x.size()), other(options, x.size());
  resident->put(x, other);
  for (std::uint64_t step = 0; step < 5; ++step) {
    ++batch.step;
    const StepResult travelled = engine->step(batch, x, gradient, {});
    optimizer.update(x, gradient, 0.05F, step);
    std::size_t polls = 0;
    const auto stayed = resident->step(batch, 0.05F, step, [&](std::size_t) { ++polls; }, {});
    engine->predict(batch, gradient, probabilities);
    EXPECT_GT(polls, 0U);
    EXPECT_NEAR(stayed.loss, travelled.loss, 1e-5);
    EXPECT_EQ(stayed.correct, travelled.correct);
    resident->get(stays, other);
    EXPECT_LT(distance(stays, doubled(x)), 1e-6) << step;
    for (std::size_t k = 0; k < x.size(); ++k) {
      ASSERT_NEAR(other.slot(0)[k], optimizer.slot(0)[k], 1e-6) << step << " " << k;
    }
    if (step == 2) resident->put(stays, other);
  }
}

TEST(CudaEngine, ParametersThatStayMoveAsThoseThatTravel) {
  OptimizerOptions options;
  options.weight_decay = 0.01F;
  expect_equal_training(options);
  options.kind = OptimizerOptions::Kind::adagrad_window;
  options.window = 2;
  expect_equal_training(options);
}

TEST(CudaEngine, TakesThreePrecisions) {
  EXPECT_EQ(cuda::arithmetic("fp32"), cuda::Arithmetic::fp32);
  EXPECT_EQ(cuda::arithmetic("tf32"), cuda::Arithmetic::tf32);
  EXPECT_EQ(cuda::arithmetic("bf16"), cuda::Arithmetic::bf16);
  EXPECT_EQ(refusal([] { cuda::arithmetic("fp64"); }),
            "train.precision: 'fp64', allowed: fp32, tf32, bf16");
}

TEST(CudaLayout, PutsChannelsLastAndPadsTheInput) {
  // conv 2 1 of 3 channels, then dense 2 of 2 x 1 x 2.
  const Network network = from_lines({"conv 2 1"}, {3, 1, 2}, 2);
  const cuda::FlatLayout layout(network);
  ASSERT_EQ(layout.trained().size(), 2U);
  EXPECT_EQ(layout.trained()[0].weight.room, 2U * 16U);
  std::vector<float> canonical(layout.canonical_size());
  for (std::size_t k = 0; k < canonical.size(); ++k) canonical[k] = static_cast<float>(k + 1);
  std::vector<float> flat(layout.size(), 99.0F);
  layout.import_flat(canonical, flat);
  EXPECT_EQ(std::vector<float>(flat.begin() + 16, flat.begin() + 20),
            (std::vector<float>{4, 5, 6, 0}));
  // Dense weight row 0, canonical (c, pixel) 9 10 11 12 -> (pixel, c) 9 11 10 12.
  const auto at = static_cast<std::ptrdiff_t>(layout.trained()[1].weight.at);
  EXPECT_EQ(std::vector<float>(flat.begin() + at, flat.begin() + at + 4),
            (std::vector<float>{9, 11, 10, 12}));
}

TEST(CudaAlgorithms, AreReplayedFromTheirLines) {
  using cuda::replayed_algorithm;
  const cuda::ChosenAlgorithm chosen{3, 1};
  const std::string line = cuda::algorithm_line("conv1 forward", chosen);
  EXPECT_EQ(line, "conv1 forward: cudnn algorithm 3, math 1");
  EXPECT_EQ(replayed_algorithm({"x", line}, "conv1 forward"), chosen);
  EXPECT_FALSE(replayed_algorithm({}, "conv1 forward"));
  EXPECT_FALSE(replayed_algorithm({"table"}, "conv1 forward"));
  EXPECT_FALSE(replayed_algorithm({"measure"}, "conv1 forward"));
  for (const std::string text : {"conv1 forward: own", "conv1 backward: cudnn algorithm 3, math 1",
                                 "conv1 forward: cudnn algorithm 3, math 1 or so"}) {
    EXPECT_EQ(refusal([&] { replayed_algorithm({text}, "conv1 forward"); }).rfind("kernels: ", 0),
              0U)
        << text;
  }
}

std::size_t bytes_of(const Engine& engine) {
  std::size_t bytes = 0;
  for (const auto& item : engine.memory()) bytes += item.bytes;
  return bytes;
}

TEST(CudaMemory, PlanIsWhatTheEngineTakes) {
  const Network network = built_in("oceanlike", {9, 16, 16}, 5);
  for (const std::string precision : {"fp32", "bf16"}) {
    EngineOptions options;
    options.precision = precision;
    options.max_batch = 3;
    const auto engine = make_host_card_engine(network, options);
    OptimizerOptions optimizer;
    optimizer.kind = OptimizerOptions::Kind::adagrad_window;
    const auto training = engine->make_resident(optimizer, {});
    EXPECT_FALSE(training->holds_scene());
    EXPECT_EQ(cuda::planned_bytes(network, options),
              bytes_of(*engine) + cuda::workspace_limit_bytes(0));
  }
}

TEST(CudaMemory, SceneIsHeldWhereItFitsBesideTraining) {
  const Network network = built_in("oceanlike", {9, 16, 16}, 5);
  const std::vector<float> pixels(900'000, 1.0F), signs(9, 1.0F);
  const Scene scene{{pixels}, signs};
  EngineOptions options;
  options.max_batch = 3;
  options.memory_limit_bytes = 100'000'000;
  OptimizerOptions optimizer;
  optimizer.kind = OptimizerOptions::Kind::adagrad_window;
  const auto roomy = make_host_card_engine(network, options);
  EXPECT_TRUE(roomy->make_resident(optimizer, scene)->holds_scene());
  const std::size_t workspace = cuda::workspace_limit_bytes(options.memory_limit_bytes);
  const std::size_t needed = bytes_of(*roomy) + workspace;
  EXPECT_TRUE(cuda::scene_fits(network, options, 4 * pixels.size(), needed));
  EXPECT_FALSE(cuda::scene_fits(network, options, 4 * pixels.size(), needed - 1));
  options.memory_limit_bytes = 1'000'000;
  while (cuda::planned_bytes(network, options) > options.memory_limit_bytes) {
    options.memory_limit_bytes += 1'000'000;  // less than the scene takes
  }
  const auto tight = make_host_card_engine(network, options);
  EXPECT_FALSE(tight->make_resident(optimizer, scene)->holds_scene());
  EXPECT_LE(bytes_of(*tight), options.memory_limit_bytes);
}

TEST(CudaMemory, NamesTheLargestBatchThatFits) {
  const Network network = built_in("oceanlike", {9, 16, 16}, 5);
  EngineOptions options;
  options.max_batch = 4096;
  options.memory_limit_bytes = 200'000'000;
  const std::string said = refusal([&] { cuda::check_memory(network, options); });
  const auto at = said.find("a batch of ", said.find(": a batch of 4096") + 5);
  ASSERT_NE(at, std::string::npos) << said;
  options.max_batch = std::stoi(said.substr(at + 11));
  EXPECT_GT(options.max_batch, 100);
  EXPECT_NO_THROW(cuda::check_memory(network, options));
  ++options.max_batch;
  EXPECT_NE(refusal([&] { cuda::check_memory(network, options); }), "nothing was refused");
  options.memory_limit_bytes = 1'000'000;
  EXPECT_NE(refusal([&] { cuda::check_memory(network, options); }).find("not even a batch of 1"),
            std::string::npos);
}

TEST(CudaMemory, RefusesArraysThatAreTooLongToCount) {
  EngineOptions options;
  options.max_batch = 65536;
  const Network network = built_in("oceanlike", {9, 256, 256}, 5);
  EXPECT_EQ(refusal([&] { cuda::planned_bytes(network, options); }).rfind("train.batch: ", 0), 0U);
}

}  // namespace
}  // namespace oida::test
