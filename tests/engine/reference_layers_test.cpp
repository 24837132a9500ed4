// The meaning of each layer, against plain computations of another form and values worked by hand.

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "engine/dropout.hpp"
#include "engine/reference/layers.hpp"
#include "engine/reference/reference_network.hpp"

namespace oida {
namespace {

using reference::Tensor;

Tensor counted(int n, Shape shape) {
  Tensor tensor(n, shape);
  std::iota(tensor.values.begin(), tensor.values.end(), 1.0);
  return tensor;
}

TEST(ReferenceConv, MovesAnImpulseByTheKernel) {
  // Cross-correlation: an impulse at (2, 2) shows the kernel turned by 180 degrees around it.
  const Layer layer{.kind = LayerKind::conv, .out = 1, .kernel = 3, .pad = 1};
  Tensor in(1, {1, 5, 5});
  in.at(0, 0, 2, 2) = 1.0;
  const std::vector<double> weight{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<double> bias{0.5};
  Tensor out(1, {1, 5, 5});
  reference::conv_forward(layer, 1, in, {weight, bias}, out);
  const double around[3][3] = {{9, 8, 7}, {6, 5, 4}, {3, 2, 1}};
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 3; ++x) EXPECT_EQ(out.at(0, 0, y + 1, x + 1), around[y][x] + 0.5);
  }
  EXPECT_EQ(out.at(0, 0, 0, 0), 0.5);
}

TEST(ReferenceConv, SumsChannelsWithStrideAndPad) {
  // in = channel 0: 1..6, channel 1: 7..12 on 2 x 3; ones as weights: sums over windows by hand.
  const Layer layer{.kind = LayerKind::conv, .out = 2, .kernel = 2, .stride = 2, .pad = 1};
  const Tensor in = counted(1, {2, 2, 3});
  std::vector<double> weight(16, 1.0);
  for (std::size_t k = 8; k < 12; ++k) weight[k] = 0.0;  // the second output sees channel 1 only
  const std::vector<double> bias{0, 100};
  Tensor out(1, {2, 2, 2});
  reference::conv_forward(layer, 1, in, {weight, bias}, out);
  const std::vector<double> expected{1 + 7,   2 + 3 + 8 + 9, 4 + 10,   5 + 6 + 11 + 12,
                                     100 + 7, 100 + 8 + 9,   100 + 10, 100 + 11 + 12};
  EXPECT_EQ(out.values, expected);
}

TEST(ReferenceDense, MultipliesInChannelRowColumnOrder) {
  const Tensor in = counted(2, {2, 1, 2});
  const std::vector<double> weight{1, 0, 0, 0, 1, 10, 100, 1000};
  const std::vector<double> bias{0.5, 0};
  Tensor out(2, {2, 1, 1});
  reference::dense_forward(2, in, {weight, bias}, out);
  EXPECT_EQ(out.values, (std::vector<double>{1.5, 4321, 5.5, 8765}));
}

TEST(ReferencePool, TakesTheLargestAndTheMeanOfWholeWindows) {
  Tensor in(1, {1, 3, 5});
  in.values = {1, 9, 2, 3, 50, 4, 5, 8, 7, 60, 70, 71, 72, 73, 74};
  Tensor out(1, {1, 1, 2});
  reference::max_pool_forward({.kind = LayerKind::max_pool, .kernel = 2, .stride = 2}, 1, in, out);
  EXPECT_EQ(out.values, (std::vector<double>{9, 8}));
  reference::average_pool_forward({.kind = LayerKind::average_pool, .kernel = 2, .stride = 2}, 1,
                                  in, out);
  EXPECT_EQ(out.values, (std::vector<double>{19.0 / 4, 20.0 / 4}));
}

TEST(ReferencePool, GivesTheDerivativeOfATieToTheFirst) {
  Tensor in(1, {1, 2, 2});
  in.values = {3, 5, 5, 5};
  Tensor slope(1, {1, 1, 1});
  slope.values = {2};
  Tensor back(1, {1, 2, 2});
  reference::max_pool_backward({.kind = LayerKind::max_pool, .kernel = 2, .stride = 2}, 1, in,
                               slope, back);
  EXPECT_EQ(back.values, (std::vector<double>{0, 2, 0, 0}));
}

TEST(ReferenceDropout, DividesWhatItKeepsByTheKeptShare) {
  Tensor in(1, {1, 1, 3});
  in.values = {1, 2, 3};
  const std::vector<std::uint8_t> keep{1, 0, 1};
  Tensor out(1, {1, 1, 3});
  reference::dropout_apply(1, keep, dropout_scale(0.75F), in, out);
  EXPECT_EQ(out.values, (std::vector<double>{4, 0, 12}));
}

TEST(ReferenceComplex, MultipliesAsComplexNumbersDo) {
  // (1 + 2i)(3 + 4i) = -5 + 10i, plus the bias 0.5 - i; |-4.5 + 9i|^2 = 101.25.
  const Layer layer{.kind = LayerKind::complex_conv, .out = 1, .kernel = 1};
  Tensor in(1, {2, 1, 1});
  in.values = {3, 4};
  const std::vector<double> weight{1, 2};
  const std::vector<double> bias{0.5, -1};
  Tensor out(1, {2, 1, 1});
  reference::complex_conv_forward(layer, 1, in, {weight, bias}, out);
  EXPECT_EQ(out.values, (std::vector<double>{-4.5, 9}));
  Tensor length(1, {1, 1, 1});
  reference::magnitude_forward(1, out, length);
  EXPECT_NEAR(length.values[0], std::sqrt(101.25), 1e-12);
}

TEST(ReferenceComplex, ModReluShortensAndKeepsTheAngle) {
  // |3 + 4i| = 5 is shortened by 2 to 3; by 6 to nothing.
  Tensor in(1, {2, 1, 1});
  in.values = {3, 4};
  Tensor out(1, {2, 1, 1});
  const std::vector<double> by_2{-2};
  reference::mod_relu_forward(1, in, {{}, by_2}, out);
  EXPECT_NEAR(out.values[0], 1.8, 1e-12);
  EXPECT_NEAR(out.values[1], 2.4, 1e-12);
  const std::vector<double> by_6{-6};
  reference::mod_relu_forward(1, in, {{}, by_6}, out);
  EXPECT_EQ(out.values, (std::vector<double>{0, 0}));
}

TEST(ReferenceSoftmax, IsStableAndNormalised) {
  Tensor logits(2, {3, 1, 1});
  logits.values = {0, std::log(2.0), std::log(5.0), 1000, 1000, -1000};
  Tensor probabilities(2, {3, 1, 1});
  reference::softmax(2, logits, probabilities);
  const double expected[] = {0.125, 0.25, 0.625, 0.5, 0.5, 0.0};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(probabilities.values[k], expected[k], 1e-12);
  EXPECT_NEAR(reference::cross_entropy(logits, 0, {.label = 1}), std::log(4.0), 1e-15);
  EXPECT_NEAR(reference::cross_entropy(logits, 1, {.label = 2}), 2000.0 + std::log(2.0), 1e-12);
}

TEST(ReferenceNetwork, LossIsTheWeightedMeanOverTheWholeBatch) {
  // Zero parameters: every class has 1 / 4, so a sample's loss is its weight times log 4.
  const Network network = from_lines({}, {2, 1, 1}, 4);
  ReferenceNetwork reference(network, {1.0F, 2.0F, 4.0F, 8.0F}, 3);
  Batch batch;
  batch.n = 3;
  batch.rows = batch.cols = 1;
  batch.channels = batch.channel_stride = 2;
  batch.input = {1, 2, 3, 4, 5, 6};
  batch.labels = {1, -1, 3};
  const std::vector<double> parameters(parameter_count(network), 0.0);
  std::vector<double> gradient(parameters.size());
  const StepResult result = reference.step(batch, parameters, gradient);
  EXPECT_NEAR(result.loss, (2.0 + 8.0) * std::log(4.0) / 3.0, 1e-12);
  // Bias of class 0: (2 / 4 + 8 / 4) / 3; of class 3: (2 / 4 + 8 (1 / 4 - 1)) / 3.
  EXPECT_NEAR(gradient[8], 2.5 / 3.0, 1e-12);
  EXPECT_NEAR(gradient[11], -5.5 / 3.0, 1e-12);
  // Weight of class 0, input 1: (2 / 4 * 2 + 8 / 4 * 6) / 3.
  EXPECT_NEAR(gradient[1], 13.0 / 3.0, 1e-12);
}

TEST(ReferenceNetwork, CountsWhatItGetsRight) {
  const Network network = from_lines({}, {2, 1, 1}, 2);
  ReferenceNetwork reference(network, {}, 4);
  Batch batch;
  batch.n = 4;
  batch.rows = batch.cols = 1;
  batch.channels = batch.channel_stride = 2;
  batch.input = {1, 0, 0, 1, 0, 1, 1, 0};
  batch.labels = {0, 1, 0, -1};
  const std::vector<double> identity{1, 0, 0, 1, 0, 0};
  std::vector<double> gradient(identity.size());
  EXPECT_EQ(reference.step(batch, identity, gradient).correct, 2);
}

}  // namespace
}  // namespace oida
