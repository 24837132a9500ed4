// What the oneDNN engine promises beyond the suite that every engine runs.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "engine/onednn/winograd_choice.hpp"
#include "onednn_helpers.hpp"

namespace oida {
namespace {

using test::engine_of;
using test::Outcome;

struct Case {
  const char* name;
  Shape input;
  int classes;
  std::vector<std::string> lines;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"oceanlike15",
       {9, 15, 15},
       5,
       {"conv 32 3 relu", "conv 32 3 relu", "max_pool 2", "conv 64 3 relu", "max_pool 2",
        "dense 40 relu"}},
      {"odd", {5, 7, 9}, 3, {"conv 20 3 relu", "max_pool 2", "conv 33 3 relu", "dense 7 relu"}},
      {"many_channels", {21, 6, 5}, 3, {"conv 16 3", "relu", "average_pool 2", "dense 5"}},
      {"large_kernel", {3, 11, 8}, 4, {"conv 16 5 stride 2 relu", "conv 17 1 relu"}},
      {"overlapping_pools",
       {9, 9, 8},
       4,
       {"conv 16 3 pad 0 relu", "max_pool 3 stride 1", "conv 16 3", "average_pool 3 stride 2",
        "relu", "dense 9 relu"}},
      {"pool_first", {9, 8, 6}, 3, {"max_pool 2", "relu", "conv 16 3 relu", "dense 6"}},
      {"dense_only", {9, 3, 2}, 4, {"dense 11 relu", "dense 5"}},
      {"dropout",
       {9, 6, 6},
       4,
       {"conv 16 3 relu", "dropout 0.3", "conv 16 3", "dropout 0.5", "dense 12 relu",
        "dropout 0.5"}},
      {"dropout_first", {4, 5, 5}, 3, {"dropout 0.4", "conv 16 3 relu"}},
  };
  return all;
}

class OnednnAgainstReference : public testing::TestWithParam<Case> {};

void compare_with_reference(const Case& c, const std::vector<float>& class_weights) {
  const Network network = from_lines(c.lines, c.input, c.classes);
  EngineOptions options;
  options.threads = 2;
  options.max_batch = 7;
  options.class_weights = class_weights;
  const auto reference = engine_of("reference", network, options);
  const auto engine = engine_of("onednn", network, options);
  Batch batch = make_batch(*engine);
  const auto canonical = initial_parameters(network, 11);
  for (const int n : {7, 3, 1}) {
    test::fill_batch(batch, n, c.classes, 100 + static_cast<std::uint64_t>(n));
    const Outcome expected = test::run(*reference, test::with_stride(batch, *reference), canonical);
    const Outcome got = test::run(*engine, batch, canonical);
    EXPECT_NEAR(got.result.loss, expected.result.loss, 1e-5);
    EXPECT_EQ(got.result.correct, expected.result.correct);
    EXPECT_LT(test::relative_error(got.gradient, expected.gradient), 2e-5) << n;
    EXPECT_LT(test::relative_error(got.probabilities, expected.probabilities), 2e-5) << n;
  }
}

TEST_P(OnednnAgainstReference, LossGradientAndPrediction) {
  compare_with_reference(GetParam(), {});
}

TEST_P(OnednnAgainstReference, WithClassWeights) {
  std::vector<float> weights(static_cast<std::size_t>(GetParam().classes), 1.0F);
  weights[1] = 2.5F;
  compare_with_reference(GetParam(), weights);
}

INSTANTIATE_TEST_SUITE_P(All, OnednnAgainstReference, testing::ValuesIn(cases()),
                         [](const auto& c) { return std::string(c.param.name); });

Network small() {
  return from_lines(
      {"conv 20 3 relu", "max_pool 2", "conv 32 3 relu", "dropout 0.2", "dense 10 relu"},
      {9, 10, 7}, 5);
}

EngineOptions small_options() {
  EngineOptions options;
  options.threads = 2;
  options.max_batch = 6;
  return options;
}

TEST(OnednnEngine, CanonicalOrderSurvivesImportAndExportAndPaddingIsZero) {
  const Network network = small();
  const auto engine = engine_of("onednn", network, small_options());
  const auto canonical = initial_parameters(network, 3);
  AlignedVector<float> flat(engine->flat_size(), std::nanf(""));
  engine->import_flat(canonical, flat);
  std::vector<float> back(canonical.size());
  engine->export_flat(flat, back);
  EXPECT_EQ(back, canonical);
  const auto filled = [](auto& values) {
    return std::ranges::count_if(values, [](float value) { return value != 0.0F; });
  };
  EXPECT_EQ(filled(flat), filled(canonical));
}

TEST(OnednnEngine, GradientIsZeroWhereTheFlatArrayIsPadding) {
  const Network network = small();
  const auto engine = engine_of("onednn", network, small_options());
  const std::vector<float> ones(parameter_count(network), 1.0F);
  AlignedVector<float> used(engine->flat_size());
  engine->import_flat(ones, used);
  Batch batch = make_batch(*engine);
  test::fill_batch(batch, 6, 5, 1);
  AlignedVector<float> flat(engine->flat_size());
  engine->import_flat(initial_parameters(network, 4), flat);
  AlignedVector<float> gradient(engine->flat_size(), std::nanf(""));
  engine->step(batch, flat, gradient, {});
  for (std::size_t i = 0; i < flat.size(); ++i) {
    EXPECT_TRUE(used[i] != 0.0F || gradient[i] == 0.0F) << i;
    EXPECT_FALSE(std::isnan(gradient[i])) << i;
  }
}

TEST(OnednnEngine, StepIsBitwiseRepeatableWhateverRanBefore) {
  const Network network = small();
  const auto canonical = initial_parameters(network, 5);
  for (const int threads : {1, 2}) {
    EngineOptions options = small_options();
    options.threads = threads;
    const auto engine = engine_of("onednn", network, options);
    Batch batch = make_batch(*engine);
    test::fill_batch(batch, 6, 5, 2);
    const Outcome first = test::run(*engine, batch, canonical);
    Batch other = make_batch(*engine);
    test::fill_batch(other, 6, 5, 77);
    test::run(*engine, other, canonical);
    const Outcome second = test::run(*engine, batch, canonical);
    EXPECT_EQ(first.gradient, second.gradient);
    EXPECT_EQ(first.probabilities, second.probabilities);
    EXPECT_EQ(first.result.loss, second.result.loss);
  }
}

TEST(OnednnEngine, TakesABatchWithoutRoomForMore) {
  const Network network = small();
  const auto engine = engine_of("onednn", network, small_options());
  const auto canonical = initial_parameters(network, 6);
  Batch roomy = make_batch(*engine);
  test::fill_batch(roomy, 2, 5, 8);
  Batch tight(2, 10, 7, 9, engine->channel_stride());
  test::fill_batch(tight, 2, 5, 8);
  EXPECT_EQ(test::run(*engine, roomy, canonical).gradient,
            test::run(*engine, tight, canonical).gradient);
}

TEST(OnednnEngine, PollsOnceAKernelAndWhatIsReadyIsFinal) {
  const Network network = small();
  const auto engine = engine_of("onednn", network, small_options());
  Batch batch = make_batch(*engine);
  test::fill_batch(batch, 6, 5, 9);
  AlignedVector<float> flat(engine->flat_size());
  engine->import_flat(initial_parameters(network, 7), flat);
  AlignedVector<float> gradient(engine->flat_size());
  std::vector<std::size_t> ready;
  std::vector<AlignedVector<float>> seen;
  engine->step(batch, flat, gradient, [&](std::size_t from) {
    ready.push_back(from);
    seen.push_back(gradient);
  });
  EXPECT_EQ(ready.size(), engine->kernels().size());
  EXPECT_TRUE(std::ranges::is_sorted(ready, std::greater<>()));
  EXPECT_EQ(ready.front(), engine->flat_size());
  EXPECT_EQ(ready.back(), 0U);
  for (std::size_t i = 0; i < ready.size(); ++i) {
    EXPECT_TRUE(std::equal(seen[i].begin() + static_cast<std::ptrdiff_t>(ready[i]), seen[i].end(),
                           gradient.begin() + static_cast<std::ptrdiff_t>(ready[i])));
  }
}

TEST(OnednnEngine, NamesItsArrays) {
  const auto engine = engine_of("onednn", small(), small_options());
  std::size_t bytes = 0;
  for (const auto& item : engine->memory()) bytes += item.bytes;
  const std::size_t activations = 6 * 4 * (10 * 7 * 20 + 5 * 3 * 20 + 2 * 5 * 3 * 32 + 10 + 5);
  EXPECT_GT(bytes, activations);
}

TEST(OnednnEngine, RefusesAnUnknownPrecision) {
  EngineOptions options = small_options();
  options.precision = "fp16";
  try {
    engine_of("onednn", small(), options);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.message(), "train.precision: 'fp16', allowed: fp32, bf16");
  }
}

TEST(OnednnEngine, OwnKernelsHeedTheLibrarysLimit) {
  const char* limit = std::getenv("ONEDNN_MAX_CPU_ISA");
  if (limit == nullptr || std::string(limit) != "AVX2") GTEST_SKIP() << "no limit is set";
  EXPECT_FALSE(onednn::winograd_runs_here());
}

Network winograd_network() {
  return from_lines({"conv 32 3 relu", "conv 32 3 relu", "max_pool 2", "conv 64 3 relu"},
                    {9, 14, 11}, 5);
}

std::vector<std::string> replaced(std::vector<std::string> lines, const std::string& direction,
                                  const std::string& kernel) {
  for (auto& line : lines) {
    const auto colon = line.find(": ");
    if (line.substr(0, colon) == direction) line = direction + ": " + kernel;
  }
  return lines;
}

TEST(OnednnEngine, EveryReplayedChoiceGivesTheSameStep) {
  const Network network = winograd_network();
  EngineOptions options = small_options();
  const auto usual = engine_of("onednn", network, options);
  const auto canonical = initial_parameters(network, 13);
  Batch batch = make_batch(*usual);
  test::fill_batch(batch, 6, 5, 14);
  const Outcome expected = test::run(*usual, batch, canonical);
  for (const char* layer : {"conv1", "conv2", "conv3"}) {
    for (const char* direction : {" forward", " backward weights", " backward data"}) {
      if (std::string(layer) + direction == "conv1 backward data") continue;
      options.kernels = replaced(usual->kernels(), std::string(layer) + direction, "library");
      const auto other = engine_of("onednn", network, options);
      const Outcome got = test::run(*other, batch, canonical);
      EXPECT_LT(test::relative_error(got.gradient, expected.gradient), 2e-5) << layer << direction;
      EXPECT_EQ(other->flat_size(), usual->flat_size());
      options.kernels = other->kernels();
      EXPECT_EQ(engine_of("onednn", network, options)->kernels(), other->kernels());
    }
  }
}

TEST(OnednnEngine, MeasuredChoicesCanBeReplayed) {
  const Network network = winograd_network();
  EngineOptions options = small_options();
  options.kernels = {"measure"};
  const auto measured = engine_of("onednn", network, options);
  options.kernels = measured->kernels();
  const auto replayed = engine_of("onednn", network, options);
  EXPECT_EQ(replayed->kernels(), measured->kernels());
  const auto canonical = initial_parameters(network, 15);
  Batch batch = make_batch(*measured);
  test::fill_batch(batch, 6, 5, 16);
  EXPECT_EQ(test::run(*replayed, batch, canonical).gradient,
            test::run(*measured, batch, canonical).gradient);
}

TEST(OnednnEngine, RefusesToReplayAnotherNetworksChoices) {
  if (!onednn::winograd_runs_here()) GTEST_SKIP() << "there is no choice on this CPU";
  EngineOptions options = small_options();
  options.kernels = {"conv1 forward: library"};
  EXPECT_THROW(engine_of("onednn", winograd_network(), options), InputError);
}

/// The U-Net's skips are nowhere copied, its pools and transposed convolutions nowhere the
/// library's slow ones.
TEST(OnednnEngine, UNetReadsItsSkipsInPlace) {
  if (!onednn::winograd_runs_here())
    GTEST_SKIP() << "this CPU has no AVX-512, or it is switched off";
  const Network network = built_in("unet_plain", {9, 16, 16}, 5, Output::dense);
  const auto kernels = engine_of("onednn", network, small_options())->kernels();
  for (const char* line :
       {"concat1 forward: none, read in place", "concat2 backward: none, read in place",
        "conv2 forward: own winograd 4x4,3x3, 2x2 max-pool",
        "conv_transpose1 forward: own products of rows",
        "conv_transpose2 backward weights: own products of rows"}) {
    EXPECT_EQ(std::ranges::count(kernels, line), 1) << line;
  }
}

TEST(OnednnEngine, EveryReplayedChoiceGivesTheSameUNetStep) {
  const Network network = built_in("unet_plain", {9, 16, 16}, 5, Output::dense);
  EngineOptions options = small_options();
  const auto usual = engine_of("onednn", network, options);
  const auto canonical = initial_parameters(network, 21);
  Batch batch = make_batch(*usual);
  test::fill_batch(batch, 6, 5, 22);
  const Outcome expected = test::run(*usual, batch, canonical);
  for (const char* direction :
       {"conv7 forward", "conv9 backward data", "conv2 backward weights", "conv4 backward data",
        "conv2 forward", "conv_transpose1 forward", "conv_transpose2 backward weights"}) {
    options.kernels = replaced(usual->kernels(), direction, "library");
    const auto other = engine_of("onednn", network, options);
    const Outcome got = test::run(*other, batch, canonical);
    EXPECT_LT(test::relative_error(got.gradient, expected.gradient), 5e-5) << direction;
    options.kernels = other->kernels();
    EXPECT_EQ(engine_of("onednn", network, options)->kernels(), other->kernels());
  }
}

/// bfloat16 keeps 8 bits: single gradients differ, their direction must not. Where the CPU lacks
/// it, that is said.
class OnednnBf16 : public testing::TestWithParam<Network> {};

TEST_P(OnednnBf16, FollowsFp32) {
  const Network& network = GetParam();
  EngineOptions options = small_options();
  const auto exact = engine_of("onednn", network, options);
  options.precision = "bf16";
  std::unique_ptr<Engine> rounded;
  try {
    rounded = engine_of("onednn", network, options);
  } catch (const InputError& error) {
    EXPECT_EQ(error.message(),
              "train.precision: bf16 needs a CPU with avx512_bf16, allowed here: fp32");
    return;
  }
  const auto canonical = initial_parameters(network, 12);
  Batch batch = make_batch(*exact);
  test::fill_batch(batch, 6, network.classes, 10);
  const Outcome expected = test::run(*exact, batch, canonical);
  const Outcome got = test::run(*rounded, batch, canonical);
  EXPECT_NEAR(got.result.loss, expected.result.loss, 0.0125 * expected.result.loss);
  EXPECT_LT(test::relative_error(got.gradient, expected.gradient), 0.1);
  EXPECT_GT(test::relative_error(got.gradient, expected.gradient), 1e-4) << "not bf16 at all";
  EXPECT_LT(test::relative_error(got.probabilities, expected.probabilities), 0.02);
}

Network named(const char* name, const std::vector<std::string>& lines, Output output) {
  Network network = from_lines(lines, {9, 8, 12}, 5, output);
  network.name = name;
  return network;
}

INSTANTIATE_TEST_SUITE_P(
    Networks, OnednnBf16,
    testing::Values(
        small(),
        named("norms", {"conv 16 3", "group_norm 4 relu", "conv 10 3 relu", "batch_norm"},
              Output::classes),
        named("skips",
              {"conv 16 3 relu as a", "max_pool 2", "conv 32 3 relu", "conv_transpose 16 2 relu",
               "concat a", "conv 16 3 relu", "max_pool 2", "upsample 2"},
              Output::dense),
        named("complex",
              {"complex 3", "complex_conv 4 3 relu", "complex_max_pool 2", "complex_conv 4 3",
               "mod_relu", "magnitude"},
              Output::classes)),
    [](const auto& test) { return test.param.name.empty() ? "plain" : test.param.name; });

}  // namespace
}  // namespace oida
