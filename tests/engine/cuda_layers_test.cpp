// What no case of the common suite shows of the cuda engine's layers.

#include <algorithm>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "engine/cuda/layout.hpp"
#include "host_card.hpp"
#include "problem.hpp"

namespace oida::test {
namespace {

/// bf16 keeps 8 bits of a value; a norm takes small differences of large values.
TEST(CudaLayers, GradientsInBf16AreNearTheReference) {
  for (const char* name : {"group_norm_first", "batch_norm_first_and_flat", "conv_transpose",
                           "concat", "complex_max_pool", "mod_relu", "magnitude", "dense_output"}) {
    const Problem problem = make_problem(case_of(name));
    EngineOptions options;
    options.precision = "bf16";
    options.max_batch = problem.of.capacity;
    options.class_weights = problem.of.class_weights;
    options.label_smoothing = problem.of.label_smoothing;
    const auto engine = make_host_card_engine(problem.network, options);
    const Outcome outcome = step_of(*engine, problem);
    const Expected expected = expected_of(problem);
    EXPECT_NEAR(outcome.result.loss, expected.result.loss, 0.02 * expected.result.loss) << name;
    const double off = distance(outcome.gradient, expected.gradient);
    EXPECT_LT(off, 0.15) << name;
    EXPECT_GT(off, 1e-5) << name << " was not rounded";
  }
}

/// conv_transpose's weight [out, in, taps] stands as the convolution's that it turns round: [in,
/// taps, out], the input's padding included.
TEST(CudaLayers, WeightsOfATransposedConvolutionStandInputsFirst) {
  const Network network = from_lines({"conv_transpose 2 2"}, {3, 1, 1}, 2);
  const cuda::FlatLayout layout(network);
  EXPECT_EQ(layout.trained()[0].weight.room, 16U * 4U * 2U);
  std::vector<float> canonical(layout.canonical_size());
  for (std::size_t k = 0; k < canonical.size(); ++k) canonical[k] = static_cast<float>(k + 1);
  std::vector<float> flat(layout.size());
  layout.import_flat(canonical, flat);
  EXPECT_EQ(flat[0], 1.0F);            // in 0, tap 0, out 0
  EXPECT_EQ(flat[1], 13.0F);           // out 1: 12 = 3 x 4 further
  EXPECT_EQ(flat[2], 2.0F);            // tap 1
  EXPECT_EQ(flat[8], 5.0F);            // in 1
  EXPECT_EQ(flat[3 * 8], 0.0F);        // padding
  EXPECT_EQ(flat[16 * 4 * 2], 25.0F);  // bias
}

/// What a batch leaves behind must not count in the next one's moments.
TEST(CudaLayers, MomentsAreThoseOfTheSamplesThatCount) {
  const Problem problem = make_problem(case_of("batch_norm"));
  const auto engine = engine_for(problem, {"cuda_host"});
  const Outcome alone = step_of(*engine, problem);
  Batch full = make_batch(*engine);
  std::ranges::fill(full.input, 3.0F);
  std::ranges::fill(full.labels, 2);
  AlignedVector<float> flat(engine->flat_size()), gradient(engine->flat_size());
  engine->import_flat(problem.parameters, flat);
  engine->step(full, flat, gradient, {});
  EXPECT_EQ(step_of(*engine, problem).gradient, alone.gradient);
  EXPECT_EQ(engine->moments().size(), 4U);
}

}  // namespace
}  // namespace oida::test
