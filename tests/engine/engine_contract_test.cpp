// What engine.hpp promises beside the right numbers.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <tuple>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "nn/optimizer.hpp"
#include "problem.hpp"

namespace oida::test {
namespace {

/// An engine on a case, with parameters and a batch.
class Prepared {
 protected:
  void prepare(const EngineKind& kind, const std::string& name) {
    problem_ = make_problem(case_of(name));
    engine_ = engine_for(problem_, kind);
    batch_ = make_batch(*engine_);
    flat_.resize(engine_->flat_size());
    gradient_.resize(engine_->flat_size());
    engine_->import_flat(problem_.parameters, flat_);
    fill(problem_, batch_);
  }

  Problem problem_;
  std::unique_ptr<Engine> engine_;
  Batch batch_{1, 1, 1, 1, 1};
  AlignedVector<float> flat_;
  AlignedVector<float> gradient_;
};

class EngineContract : public testing::TestWithParam<EngineKind>, protected Prepared {
 protected:
  EngineContract() { prepare(GetParam(), "dropout"); }
};

/// What must hold for every layer.
class LayerContract : public testing::TestWithParam<std::tuple<EngineKind, std::string>>,
                      protected Prepared {
 protected:
  const EngineKind& kind() const { return std::get<0>(GetParam()); }
  void SetUp() override {
    const std::string& name = std::get<1>(GetParam());
    prepare(kind(), name);
  }
};

TEST_P(LayerContract, ImportAndExportRoundTrip) {
  std::vector<float> back(problem_.parameters.size(), -1.0F);
  engine_->export_flat(flat_, back);
  EXPECT_EQ(back, problem_.parameters);
}

TEST_P(LayerContract, ExportsOnASecondThreadBesideAStep) {
  const Outcome alone = step_of(*engine_, problem_);
  std::atomic<bool> stepping{true};
  int wrong = 0;
  std::thread second([&] {
    std::vector<float> back(problem_.parameters.size());
    do {
      engine_->export_flat(flat_, back);
      if (back != problem_.parameters) ++wrong;
    } while (stepping);
  });
  const Outcome beside = step_of(*engine_, problem_);
  stepping = false;
  second.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(beside.gradient, alone.gradient);
}

TEST_P(EngineContract, BatchHasTheEnginesForm) {
  const Batch batch = make_batch(*engine_);
  EXPECT_EQ(batch.n, problem_.of.capacity);
  EXPECT_EQ(batch.rows, 7);
  EXPECT_EQ(batch.cols, 9);
  EXPECT_EQ(batch.channels, 9);
  EXPECT_EQ(batch.channel_stride, engine_->channel_stride());
  EXPECT_GE(batch.channel_stride, 9);
}

TEST_P(LayerContract, EqualStepsGiveEqualBits) {
  const Outcome first = step_of(*engine_, problem_);
  const Outcome second = step_of(*engine_, problem_);
  const auto other = engine_for(problem_, kind());
  const Outcome third = step_of(*other, problem_);
  EXPECT_EQ(first.gradient, second.gradient);
  EXPECT_EQ(first.gradient, third.gradient);
  EXPECT_EQ(first.result.loss, second.result.loss);
  EXPECT_EQ(first.result.loss, third.result.loss);
}

TEST_P(LayerContract, ResultsDoNotDependOnTheBatchBefore) {
  const Outcome alone = step_of(*engine_, problem_);
  Batch full = make_batch(*engine_);
  std::ranges::fill(full.input, 3.0F);
  std::ranges::fill(full.labels, 2);
  engine_->step(full, flat_, gradient_, {});
  EXPECT_EQ(step_of(*engine_, problem_).gradient, alone.gradient);
}

TEST_P(EngineContract, DropoutChangesWithStepAndSeedOnly) {
  AlignedVector<float> first(flat_.size());
  engine_->step(batch_, flat_, first, {});
  ++batch_.step;
  engine_->step(batch_, flat_, gradient_, {});
  EXPECT_NE(gradient_, first);
  --batch_.step;
  ++batch_.seed;
  engine_->step(batch_, flat_, gradient_, {});
  EXPECT_NE(gradient_, first);
  --batch_.seed;
  engine_->step(batch_, flat_, gradient_, {});
  EXPECT_EQ(gradient_, first);
}

TEST_P(LayerContract, PaddingStaysZeroUnderTheOptimizer) {
  // Where an import of ones leaves zeros, there is padding.
  AlignedVector<float> ones(flat_.size());
  engine_->import_flat(std::vector<float>(problem_.parameters.size(), 1.0F), ones);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(ones, 1.0F)), problem_.parameters.size());
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(ones, 0.0F)),
            flat_.size() - problem_.parameters.size());
  Optimizer optimizer({.weight_decay = 0.01F}, flat_.size());
  for (std::uint64_t step = 0; step < 3; ++step) {
    engine_->step(batch_, flat_, gradient_, {});
    optimizer.update(flat_, gradient_, 0.05F, step);
  }
  for (std::size_t k = 0; k < flat_.size(); ++k) {
    if (ones[k] == 0.0F) {
      ASSERT_EQ(flat_[k], 0.0F) << k;
      ASSERT_EQ(gradient_[k], 0.0F) << k;
    }
  }
}

TEST_P(EngineContract, StepsDownTheGradient) {
  Optimizer optimizer({}, flat_.size());
  const double before = engine_->step(batch_, flat_, gradient_, {}).loss;
  for (std::uint64_t step = 0; step < 20; ++step) {
    engine_->step(batch_, flat_, gradient_, {});
    optimizer.update(flat_, gradient_, 0.05F, step);
  }
  EXPECT_LT(engine_->step(batch_, flat_, gradient_, {}).loss, 0.5 * before);
}

TEST_P(LayerContract, PollTellsWhichGradientsAreFinal) {
  std::vector<std::size_t> ready;
  std::vector<AlignedVector<float>> seen;
  engine_->step(batch_, flat_, gradient_, [&](std::size_t from) {
    ready.push_back(from);
    seen.push_back(gradient_);
  });
  ASSERT_GE(ready.size(), problem_.network.layers.size());
  EXPECT_EQ(ready.front(), engine_->flat_size());
  EXPECT_EQ(ready.back(), 0U);
  EXPECT_TRUE(std::is_sorted(ready.rbegin(), ready.rend()));
  // More than once between: the exchange may start before the first layer's gradient is there.
  EXPECT_GE(std::ranges::count_if(ready, [&](auto at) { return at > 0 && at < flat_.size(); }), 2);
  for (std::size_t p = 0; p < ready.size(); ++p) {
    const auto from = static_cast<std::ptrdiff_t>(ready[p]);
    EXPECT_TRUE(std::equal(seen[p].begin() + from, seen[p].end(), gradient_.begin() + from)) << p;
  }
}

TEST_P(EngineContract, ReportsItsMemoryAndKernels) {
  std::size_t bytes = 0;
  for (const auto& item : engine_->memory()) {
    EXPECT_FALSE(item.what.empty());
    bytes += item.bytes;
  }
  // At least the first layer's output of a whole batch.
  EXPECT_GT(bytes, 4U * 6 * 7 * 9 * sizeof(float));
  EXPECT_GE(engine_->kernels().size(), problem_.network.layers.size());
}

TEST_P(EngineContract, RefusesBatchesAndArraysThatDoNotFit) {
  const auto refused = [&](const Batch& batch) {
    EXPECT_THROW(engine_->step(batch, flat_, gradient_, {}), Error);
  };
  Batch bad = batch_;
  bad.n = 0;
  refused(bad);
  bad.n = problem_.of.capacity + 1;
  refused(bad);
  bad = batch_;
  bad.labels[0] = problem_.of.classes;
  refused(bad);
  bad.labels[0] = -2;
  refused(bad);
  bad = batch_;
  bad.labels.resize(2);
  refused(bad);
  const int stride = engine_->channel_stride();
  refused(Batch(4, 9, 7, 9, stride));
  refused(Batch(4, 7, 9, 8, stride));
  refused(Batch(4, 7, 9, 9, stride + 1));
  AlignedVector<float> little(flat_.size() - 1);
  EXPECT_THROW(engine_->step(batch_, little, gradient_, {}), Error);
  EXPECT_THROW(engine_->step(batch_, flat_, little, {}), Error);
  EXPECT_THROW(engine_->import_flat(problem_.parameters, little), Error);
  EXPECT_THROW(engine_->predict(batch_, flat_, little), Error);
}

INSTANTIATE_TEST_SUITE_P(Engines, EngineContract, testing::ValuesIn(engine_kinds()),
                         testing::PrintToStringParamName());

INSTANTIATE_TEST_SUITE_P(Engines, LayerContract,
                         testing::Combine(testing::ValuesIn(engine_kinds()),
                                          testing::Values("dropout", "group_norm", "batch_norm",
                                                          "upsample", "conv_transpose",
                                                          "concat_twice", "mod_relu",
                                                          "complex_max_pool", "dense_output",
                                                          "small_unet", "unet_of_whole_blocks")),
                         [](const auto& test) {
                           return testing::PrintToString(std::get<0>(test.param)) + "_" +
                                  std::get<1>(test.param);
                         });

}  // namespace
}  // namespace oida::test
