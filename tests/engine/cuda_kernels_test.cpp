// What the cuda engine's kernels do with one element, on the host, against plain computations.

#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "core/rng.hpp"
#include "data/patch_store.hpp"
#include "engine/cuda/loss.hpp"
#include "engine/cuda/patch.hpp"
#include "engine/cuda/pointwise.hpp"
#include "engine/cuda/pool.hpp"
#include "engine/cuda/sums.hpp"
#include "engine/cuda/update.hpp"
#include "engine/dropout.hpp"
#include "nn/optimizer.hpp"

namespace oida::cuda {
namespace {

template <typename Kernel>
void run(std::size_t count, const Kernel& kernel) {
  for (Index index = 0; index < count; ++index) kernel(index);
}

std::vector<float> drawn(std::size_t count, std::uint64_t stream) {
  Random random(11, Purpose::test, stream);
  std::vector<float> values(count);
  for (float& value : values) value = 2.0F * random.uniform() - 1.0F;
  return values;
}

TEST(CudaKernels, Bf16RoundsToTheNearestAndTiesToEven) {
  const auto bits = [](float value) { return narrow<Bf16>(value).bits; };
  EXPECT_EQ(bits(1.0F), 0x3f80);
  EXPECT_EQ(bits(-2.0F), 0xc000);
  EXPECT_EQ(bits(1.0F + 0x1p-8F), 0x3f80);             // half way down to even
  EXPECT_EQ(bits(1.0F + 0x1p-7F + 0x1p-8F), 0x3f82);   // half way up to even
  EXPECT_EQ(bits(1.0F + 0x1p-8F + 0x1p-20F), 0x3f81);  // above half way
  EXPECT_EQ(bits(std::numeric_limits<float>::infinity()), 0x7f80);
  EXPECT_EQ(bits(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_TRUE(std::isnan(to_float(narrow<Bf16>(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_EQ(to_float(Bf16{0x4049}), 3.140625F);
}

TEST(CudaKernels, PhiloxGivesThePublishedBits) {
  // Random123's known answers (kat_vectors, philox4x32 10).
  const Words4 zeros = philox({{0, 0, 0, 0}}, 0, 0);
  const std::uint32_t expected_zeros[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  const std::uint32_t ones = 0xffffffff;
  const Words4 full = philox({{ones, ones, ones, ones}}, ones, ones);
  const std::uint32_t expected_full[] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(zeros.at[k], expected_zeros[k]);
    EXPECT_EQ(full.at[k], expected_full[k]);
  }
}

TEST(CudaKernels, DropoutMaskHasTheBitsOfTheCpu) {
  const Image image{5, 8, 3, 7};  // 105 elements: no whole number of blocks of four
  Batch batch;
  batch.seed = 0x1234567890abcdefULL;
  batch.step = 77;
  constexpr int kSamples = 3, kLayer = 4;
  const StepWords words{{static_cast<std::uint32_t>(batch.seed),
                         static_cast<std::uint32_t>(batch.seed >> 32) ^
                             static_cast<std::uint32_t>(Purpose::dropout) << 16},
                        batch.step,
                        kSamples,
                        0.0F,
                        0,
                        1.0F};
  std::vector<std::uint8_t> keep(kSamples * image.size(), 9);
  const DropoutMask mask{&words, kLayer, dropped_below(0.3F), image, keep.data()};
  run(kSamples * mask.blocks(), mask);
  for (Index i = 0; i < kSamples; ++i) {
    std::vector<std::uint8_t> expected(mask.elements());
    dropout_mask(batch, kLayer, 0.3F, static_cast<int>(i), expected);
    for (Index c = 0; c < 8; ++c) {
      for (Index pixel = 0; pixel < 21; ++pixel) {
        const int is = keep[image.at(i, c, pixel / 7, pixel % 7)];
        EXPECT_EQ(is, c < 5 ? expected[c * 21 + pixel] : 9) << i << " " << c << " " << pixel;
      }
    }
  }
}

TEST(CudaKernels, InputBeyondTheCountingSamplesIsZero) {
  const StepWords words{{0, 0}, 0, 2, 0.0F, 0, 2.0F};
  const std::vector<float> in{1, 2, 3, 4, 5, 6};
  std::vector<float> out(6, 9.0F);
  run(6, LoadInput<float>{in.data(), &words, 2, out.data()});
  EXPECT_EQ(out, (std::vector<float>{1, 2, 3, 4, 0, 0}));
}

TEST(CudaKernels, BiasGoesToItsChannelAndReluCutsBelowZero) {
  const std::vector<float> bias{0.5F, -3.0F};
  std::vector<float> values{1, 2, -1, 4};
  auto cut = values;
  run(4, AddBias<float>{values.data(), bias.data(), 2, false});
  run(4, AddBias<float>{cut.data(), bias.data(), 2, true});
  EXPECT_EQ(values, (std::vector<float>{1.5F, -1, -0.5F, 1}));
  EXPECT_EQ(cut, (std::vector<float>{1.5F, 0, 0, 1}));
  float nan = std::numeric_limits<float>::quiet_NaN();
  run(1, AddBias<float>{&nan, bias.data(), 2, true});
  EXPECT_TRUE(std::isnan(nan)) << "a relu hides a parameter that is not finite";
}

TEST(CudaKernels, SumsOfRowsCoverEveryRowOnce) {
  constexpr Index kRows = 2 * kRowsOfASum + 5, kChannels = 3;
  auto values = drawn(kRows * kChannels, 1);
  const auto out = drawn(kRows * kChannels, 2);
  std::vector<float> sums(sums_of(kRows) * kChannels);
  std::vector<double> expected(kChannels, 0.0);
  for (Index k = 0; k < kRows * kChannels; ++k) {
    if (out[k] > 0.0F) expected[k % kChannels] += values[k];
  }
  run(sums.size(), SumRows<float>{values.data(), out.data(), kRows, kChannels, sums.data()});
  std::vector<float> total(kChannels);
  run(kChannels, SumRows<float>{sums.data(), nullptr, sums_of(kRows), kChannels, total.data()});
  for (Index c = 0; c < kChannels; ++c) EXPECT_NEAR(total[c], expected[c], 1e-4);
  for (Index k = 0; k < kRows * kChannels; ++k) {
    EXPECT_TRUE(out[k] > 0.0F || values[k] == 0.0F) << k;
  }
}

TEST(CudaKernels, MaxPoolGivesTheDerivativeOfATieToTheFirst) {
  const Pool pool{{1, 1, 2, 2}, {1, 1, 1, 1}, 2, 2};
  const std::vector<float> in{3, 5, 5, 5};
  const std::vector<float> slope{2};
  std::vector<float> out(1), back(4, 9.0F);
  std::vector<std::uint16_t> where(1);
  run(1, MaxPool<float>{pool, in.data(), out.data(), where.data()});
  run(4, MaxPoolBackward<float>{pool, slope.data(), where.data(), back.data()});
  EXPECT_EQ(out[0], 5.0F);
  EXPECT_EQ(back, (std::vector<float>{0, 2, 0, 0}));
}

TEST(CudaKernels, MaxPoolOfOverlappingWindowsScattersEveryDerivative) {
  const Pool pool{{2, 3, 7, 9}, {2, 3, 3, 4}, 3, 2};
  constexpr Index kSamples = 2;
  const auto in = drawn(kSamples * pool.in.size(), 3);
  const auto slope = drawn(kSamples * pool.out.size(), 4);
  std::vector<float> out(slope.size()), back(in.size(), 9.0F);
  std::vector<std::uint16_t> where(slope.size());
  run(out.size(), MaxPool<float>{pool, in.data(), out.data(), where.data()});
  run(back.size(), MaxPoolBackward<float>{pool, slope.data(), where.data(), back.data()});
  std::vector<double> expected(in.size(), 0.0);
  for (Index k = 0; k < out.size(); ++k) {
    const Place to = place_of(pool.out, k);
    Index best = pool.in.at(to.i, to.channel, 2 * to.row, 2 * to.col);
    for (Index y = 2 * to.row; y < 2 * to.row + 3; ++y) {
      for (Index x = 2 * to.col; x < 2 * to.col + 3; ++x) {
        const Index here = pool.in.at(to.i, to.channel, y, x);
        if (in[here] > in[best]) best = here;
      }
    }
    EXPECT_EQ(out[k], in[best]);
    expected[best] += slope[k];
  }
  for (std::size_t k = 0; k < back.size(); ++k) EXPECT_NEAR(back[k], expected[k], 1e-6) << k;
}

TEST(CudaKernels, LossIsWeightedCrossEntropyAndItsDerivative) {
  constexpr int kClasses = 4, kSamples = 4;
  const std::vector<float> weights{0.5F, 2.0F, 1.0F, 3.0F};
  const std::vector<std::int32_t> labels{1, -1, 3, 0};
  const StepWords words{{0, 0}, 0, 3, 0.0F, 0, 3.0F};  // the last one does not count
  auto logits = drawn(kClasses * kSamples, 5);
  for (float& logit : logits) logit *= 1000.0F;  // exp of them alone overflows
  std::vector<float> slope(logits.size(), 9.0F), loss(kSamples, 9.0F);
  std::vector<std::int32_t> correct(kSamples, 9);
  run(kSamples, Loss<float>{logits.data(), labels.data(), weights.data(), &words, kClasses, 1, 0.0F,
                            slope.data(), loss.data(), correct.data()});
  for (int i = 0; i < kSamples; ++i) {
    const float* row = logits.data() + i * kClasses;
    const double top = *std::max_element(row, row + kClasses);
    double sum = 0.0;
    for (int c = 0; c < kClasses; ++c) sum += std::exp(row[c] - top);
    const auto at = static_cast<std::size_t>(i);
    const int label = i < 3 ? labels[at] : -1;
    const double share = label < 0 ? 0.0 : weights[static_cast<std::size_t>(label)] / 3.0;
    const double expected = label < 0 ? 0.0 : share * (top + std::log(sum) - row[label]);
    EXPECT_NEAR(loss[at], expected, 1e-5 * std::abs(expected));
    EXPECT_EQ(correct[at], label >= 0 && row[label] == static_cast<float>(top) ? 1 : 0);
    for (int c = 0; c < kClasses; ++c) {
      const double p = std::exp(row[c] - top) / sum;
      EXPECT_NEAR(slope[static_cast<std::size_t>(i * kClasses + c)],
                  share * (p - (c == label ? 1.0 : 0.0)), 1e-4)
          << i << " " << c;
    }
  }
}

/// Steps of the optimizer on the CPU and of the kernel.
void expect_same_updates(const OptimizerOptions& options) {
  constexpr std::size_t kSize = 50;
  auto x = drawn(kSize, 6);
  auto theirs = x;
  Optimizer optimizer(options, kSize);
  std::vector<float> first(kSize), second(kSize);
  for (std::uint64_t step = 0; step < 7; ++step) {
    const auto gradient = drawn(kSize, 100 + step);
    optimizer.update(theirs, gradient, 0.1F, step);
    const bool ends = (step + 1) % static_cast<std::uint64_t>(options.window) == 0;
    const StepWords words{{0, 0}, 0, 0, 0.1F, ends ? 1 : 0, 1.0F};
    if (options.kind == OptimizerOptions::Kind::sgd) {
      run(kSize, Sgd{x.data(), gradient.data(), first.data(), &words, options.momentum,
                     options.weight_decay});
    } else {
      run(kSize, AdagradWindow{x.data(), gradient.data(), first.data(), second.data(), &words,
                               options.weight_decay, options.epsilon});
    }
    for (std::size_t k = 0; k < kSize; ++k) ASSERT_NEAR(x[k], theirs[k], 1e-5) << step << " " << k;
  }
}

TEST(CudaKernels, OptimizersMoveAsOnTheCpu) {
  OptimizerOptions options;
  options.weight_decay = 0.01F;
  expect_same_updates(options);
  options.kind = OptimizerOptions::Kind::adagrad_window;
  options.window = 3;
  expect_same_updates(options);
}

TEST(CudaKernels, MergeKeepsWhatWasLearnedMeanwhile) {
  std::vector<float> x{1, 2}, sent(2), travelling(2);
  run(2, Send{x.data(), 0.25F, sent.data(), travelling.data()});
  EXPECT_EQ(travelling, (std::vector<float>{0.25F, 0.5F}));
  x = {1.5F, 1.0F};  // the steps meanwhile: + 0.5, - 1
  const std::vector<float> mean{4, 8};
  run(2, Merge{x.data(), mean.data(), sent.data()});
  EXPECT_EQ(x, (std::vector<float>{4.5F, 7.0F}));
}

TEST(CudaKernels, PatchesAreThoseOfThePatchStore) {
  constexpr int kRows = 13, kCols = 11, kChannels = 3, kSide = 5, kStride = 16;
  const std::vector<float> signs{1, -1, 1};
  const auto pixels = drawn(kRows * kCols * kChannels, 8);
  FeatureWindow window;
  window.rows = kRows;
  window.cols = kCols;
  window.channels = kChannels;
  window.values.assign(pixels.begin(), pixels.end());
  window.valid.assign(kRows * kCols, 1);
  PatchStore store(kSide, signs);
  store.add(0, {20, 30, kRows, kCols}, window);
  const Image image{kChannels, kStride, kSide, kSide};
  const StepWords words{{0, 0}, 0, 1, 0.0F, 0, 1.0F};
  for (const auto& [row, col] : {std::pair{26, 36}, {20, 30}, {32, 40}, {21, 39}}) {
    for (std::uint8_t bits = 0; bits < 8; ++bits) {
      Sample sample{};
      sample.row = static_cast<decltype(sample.row)>(row);
      sample.col = static_cast<decltype(sample.col)>(col);
      std::vector<float> expected(image.size(), 0.0F), out(image.size(), 9.0F);
      store.cut(sample, {bits}, expected.data(), kStride);
      const PatchPlace place = store.place(sample, {bits});
      run(image.size(),
          CutPatch<float>{pixels.data(), &place, signs.data(), &words, image, out.data()});
      EXPECT_EQ(out, expected) << row << " " << col << " " << int{bits};
    }
  }
}

}  // namespace
}  // namespace oida::cuda
