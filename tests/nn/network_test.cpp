// Golden values: parameter and operation counts worked out by hand from the published formulas, and
// the figures that the benchmark's definition states.

#include "nn/network.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace oida {
namespace {

int count(const Network& network, LayerKind kind) {
  return static_cast<int>(std::ranges::count(network.layers, kind, &Layer::kind));
}

TEST(BuiltIn, OceanlikeHasItsStatedSizeAndWork) {
  const Network network = built_in("oceanlike", {9, 32, 32}, 8);
  EXPECT_EQ(parameter_count(network), 931048U);
  EXPECT_NEAR(forward_flops(network) * 1e-6, 63.5, 0.05);
  EXPECT_NEAR(training_flops(network) * 1e-6, 185.2, 0.05);
}

TEST(BuiltIn, Oceantda9HasNineLayersAndAMillionParameters) {
  const Network network = built_in("oceantda9", {9, 15, 15}, 15);
  const int windows = count(network, LayerKind::conv) + count(network, LayerKind::max_pool);
  EXPECT_EQ(windows + count(network, LayerKind::dense), 9);
  // conv 9-32, 32-32, 32-64, 64-64, 64-128; dense 128 x 3 x 3 - 736, 736 - 15.
  EXPECT_EQ(parameter_count(network),
            2624U + 9248U + 18496U + 36928U + 73856U + (1152U * 736U + 736U) + (736U * 15U + 15U));
}

TEST(BuiltIn, Oceantda9FitsEveryPatchFromNinePixels) {
  for (int side = 9; side <= 40; ++side) {
    EXPECT_NO_THROW(shapes(built_in("oceantda9", {9, side, side + 1}, 2))) << side;
  }
}

TEST(BuiltIn, UnknownNameIsRefusedWithTheKnownOnes) {
  try {
    built_in("alexnet", {9, 15, 15}, 15);
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.message();
    EXPECT_NE(text.find("model.name: 'alexnet'"), std::string::npos) << text;
    EXPECT_NE(text.find("oceantda9, oceanlike"), std::string::npos) << text;
  }
  for (const auto& name : built_in_names()) {
    const Output output = name.starts_with("unet") ? Output::dense : Output::classes;
    EXPECT_EQ(built_in(name, {9, 16, 16}, 3, output).name, name);
  }
  EXPECT_THROW(built_in("unet", {9, 16, 16}, 3), InputError);
  EXPECT_THROW(built_in("oceantda9", {9, 16, 16}, 3, Output::dense), InputError);
}

TEST(BuiltIn, UnetHasItsStatedLevels) {
  const Network network = built_in("unet_plain", {9, 32, 48}, 15, Output::dense);
  // Pairs of convolutions 9-32-32, 32-64-64, 64-128-128 down, 128-64-64, 64-32-32 up; two
  // transposed ones of 2 x 2; 1 x 1 to the classes.
  const auto conv = [](std::size_t in, std::size_t out) { return 9 * in * out + out; };
  EXPECT_EQ(parameter_count(network), conv(9, 32) + conv(32, 32) + conv(32, 64) + conv(64, 64) +
                                          conv(64, 128) + conv(128, 128) + (4 * 128 * 64 + 64) +
                                          conv(128, 64) + conv(64, 64) + (4 * 64 * 32 + 32) +
                                          conv(64, 32) + conv(32, 32) + (32 * 15 + 15));
  // Four numbers a channel: scale, shift, mean, variance.
  EXPECT_EQ(parameter_count(built_in("unet", {9, 32, 48}, 15, Output::dense)),
            parameter_count(network) + 4 * (4 * 32 + 4 * 64 + 2 * 128));
  EXPECT_EQ(shapes(network).back(), (Shape{15, 32, 48}));
  EXPECT_EQ(label_count(network), 32U * 48U);
  EXPECT_THROW(built_in("unet", {9, 32, 46}, 15, Output::dense), InputError);
}

TEST(BuiltIn, CvCnnSeesTheMatrixAsSixComplexChannels) {
  const Network network = built_in("cv_cnn", {9, 15, 15}, 15);
  // Complex 6-12 and 12-24, both parts; 24 magnitudes of 3 x 3 px.
  EXPECT_EQ(parameter_count(network), (2U * 9 * 6 * 12 + 24) + (2U * 9 * 12 * 24 + 48) +
                                          (216U * 128 + 128) + (128U * 15 + 15));
}

TEST(Shapes, FollowPadAndStrideRoundedDown) {
  const Network network = from_lines(
      {"conv 4 3 stride 2", "conv 5 3 pad 0", "average_pool 2", "dense 7 relu", "dropout 0.5"},
      {3, 13, 16}, 2);
  const std::vector<Shape> expected{{3, 13, 16}, {4, 7, 8}, {5, 5, 6}, {5, 2, 3},
                                    {7, 1, 1},   {7, 1, 1}, {2, 1, 1}};
  EXPECT_EQ(shapes(network), expected);
}

TEST(Shapes, RefuseWhatDoesNotFit) {
  const auto refused = [](const std::vector<std::string>& lines) {
    EXPECT_THROW(from_lines(lines, {3, 7, 9}, 2), InputError) << lines.front();
  };
  refused({"conv 4 11 pad 1"});
  refused({"max_pool 8"});
  refused({"dense 4", "conv 4 1"});
  refused({"conv 0 3"});
  refused({"conv 4 3 pad 3"});
  refused({"conv 4 3 stride 0"});
  refused({"dropout 1"});
  refused({"dense -1"});
  refused({"dense 2000000000", "dense 2000000000"});
  EXPECT_THROW(from_lines({}, {3, 0, 9}, 2), InputError);
  EXPECT_THROW(from_lines({}, {3, 7, 9}, 1), InputError);
}

TEST(Shapes, GrowAndJoin) {
  const Network network = from_lines({"conv 4 3 as a", "max_pool 2", "upsample 2", "concat a",
                                      "conv_transpose 6 3 stride 2", "group_norm 3", "batch_norm"},
                                     {3, 6, 8}, 2);
  const std::vector<Shape> expected{{3, 6, 8},   {4, 6, 8},   {4, 3, 4},   {4, 6, 8}, {8, 6, 8},
                                    {6, 13, 17}, {6, 13, 17}, {6, 13, 17}, {2, 1, 1}};
  EXPECT_EQ(shapes(network), expected);
  EXPECT_EQ(skips(network), (std::vector<int>{-1, -1, -1, 0, -1, -1, -1, -1}));
}

TEST(Shapes, OfComplexTensorsCountBothParts) {
  const Network network =
      from_lines({"complex 3", "complex_conv 4 3", "mod_relu", "complex_max_pool 2", "magnitude"},
                 {9, 6, 8}, 2);
  const std::vector<Shape> expected{{9, 6, 8}, {12, 6, 8}, {8, 6, 8}, {8, 6, 8},
                                    {8, 3, 4}, {4, 3, 4},  {2, 1, 1}};
  EXPECT_EQ(shapes(network), expected);
}

TEST(Shapes, RefuseNewLayersThatDoNotFit) {
  const auto refused = [](const std::vector<std::string>& lines) {
    EXPECT_THROW(from_lines(lines, {3, 7, 9}, 2), InputError) << lines.front();
  };
  refused({"concat a"});
  refused({"conv 4 3 as a", "concat b"});
  refused({"conv 4 3 as a", "conv 4 3 as a"});
  refused({"conv 4 3 as a", "max_pool 2", "concat a"});
  refused({"group_norm 2"});
  refused({"group_norm 0"});
  refused({"upsample 0"});
  refused({"magnitude"});
  refused({"mod_relu"});
  refused({"complex_conv 4 3"});
  refused({"complex 2"});
  refused({"complex 5"});
  refused({"dense 4", "upsample 2"});
  const auto refused_dense = [](const std::vector<std::string>& lines) {
    EXPECT_THROW(from_lines(lines, {3, 8, 8}, 2, Output::dense), InputError) << lines.front();
  };
  refused_dense({"max_pool 2"});
  refused_dense({"conv 4 3 pad 0"});
  refused_dense({"dense 4"});
}

TEST(Field, ReachesAsFarAsAPixelMattersByHand) {
  const auto field = [](const std::vector<std::string>& lines) {
    return field_of(from_lines(lines, {3, 8, 8}, 2, Output::dense));
  };
  EXPECT_EQ(field({"conv 4 3", "conv 4 5"}).reach_px, 3);
  // A pool of 2 looks 1 px on; after it a pixel is 2 wide; the way back loses up to 1 px.
  const Field pooled = field({"conv 4 3", "max_pool 2", "conv 4 3", "upsample 2", "conv 4 3"});
  EXPECT_EQ(pooled.reach_px, 1 + 1 + 2 + 1 + 1);
  EXPECT_EQ(pooled.step_px, 2);
  EXPECT_TRUE(pooled.local);
  EXPECT_FALSE(field({"conv 4 3", "group_norm 2"}).local);
  EXPECT_THROW(field_of(from_lines({}, {3, 8, 8}, 2)), InputError);
}

TEST(Shapes, RefuseANetworkThatDoesNotEndInItsClasses) {
  Network network = from_lines({"conv 4 3"}, {3, 7, 9}, 2);
  network.layers.back().relu = true;
  EXPECT_THROW(shapes(network), InputError);
  network.layers.pop_back();
  EXPECT_THROW(shapes(network), InputError);
}

TEST(Parameters, StandInCanonicalOrder) {
  const Network network = from_lines({"conv 4 3", "relu", "max_pool 2", "dense 6"}, {3, 7, 9}, 2);
  const auto arrays = parameters(network);
  ASSERT_EQ(arrays.size(), 6U);
  const std::vector<std::string> names{"conv1/weight", "conv1/bias",    "dense1/weight",
                                       "dense1/bias",  "dense2/weight", "dense2/bias"};
  const std::vector<std::vector<int>> dims{{4, 3, 3, 3}, {4}, {6, 48}, {6}, {2, 6}, {2}};
  const std::vector<int> fan_in{27, 0, 48, 0, 6, 0};
  const std::vector<int> layers{0, 0, 3, 3, 4, 4};
  std::size_t offset = 0;
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    EXPECT_EQ(arrays[a].name, names[a]);
    EXPECT_EQ(arrays[a].dims, dims[a]);
    EXPECT_EQ(arrays[a].fan_in, fan_in[a]);
    EXPECT_EQ(arrays[a].layer, layers[a]);
    EXPECT_EQ(arrays[a].offset, offset);
    offset += arrays[a].size;
  }
  EXPECT_EQ(offset, 4U * 27 + 4 + 6 * 48 + 6 + 2 * 6 + 2);
  EXPECT_EQ(parameter_count(network), offset);
}

TEST(Parameters, OfNormsAndComplexLayersHaveTheirArrays) {
  const Network network = from_lines({"complex 3", "complex_conv 4 3", "mod_relu", "batch_norm",
                                      "group_norm 2", "conv_transpose 6 2"},
                                     {9, 6, 8}, 2);
  const std::vector<std::pair<std::string, std::vector<int>>> expected{
      {"complex_conv1/weight", {2, 4, 6, 3, 3}},
      {"complex_conv1/bias", {8}},
      {"mod_relu1/bias", {4}},
      {"batch_norm1/weight", {8}},
      {"batch_norm1/bias", {8}},
      {"batch_norm1/mean", {8}},
      {"batch_norm1/variance", {8}},
      {"group_norm1/weight", {8}},
      {"group_norm1/bias", {8}},
      {"conv_transpose1/weight", {6, 8, 2, 2}},
      {"conv_transpose1/bias", {6}},
      {"dense1/weight", {2, 6 * 12 * 16}},
      {"dense1/bias", {2}}};
  const auto arrays = parameters(network);
  ASSERT_EQ(arrays.size(), expected.size());
  const auto values = initial_parameters(network, 3);
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    EXPECT_EQ(arrays[a].name, expected[a].first);
    EXPECT_EQ(arrays[a].dims, expected[a].second) << arrays[a].name;
    const bool moment =
        arrays[a].name == "batch_norm1/mean" || arrays[a].name == "batch_norm1/variance";
    EXPECT_EQ(arrays[a].moment, moment) << arrays[a].name;
  }
  EXPECT_EQ(arrays[0].fan_in, 12 * 9);  // real numbers that one part of an output is summed from
  EXPECT_EQ(arrays[9].fan_in, 8);       // a window of 2 at stride 2: one tap reaches each pixel
  const auto first = [&](std::size_t a) { return values[arrays[a].offset]; };
  EXPECT_EQ(first(3), 1.0F);
  EXPECT_EQ(first(4), 0.0F);
  EXPECT_EQ(first(5), 0.0F);
  EXPECT_EQ(first(6), 1.0F);
  EXPECT_EQ(first(7), 1.0F);
}

TEST(InitialParameters, AreUniformWithHeVarianceAndZeroBias) {
  const Network network = built_in("oceanlike", {9, 32, 32}, 8);
  const auto values = initial_parameters(network, 7);
  for (const auto& array : parameters(network)) {
    const auto part = std::span(values).subspan(array.offset, array.size);
    if (array.fan_in == 0) {
      EXPECT_TRUE(std::ranges::all_of(part, [](float v) { return v == 0.0F; })) << array.name;
      continue;
    }
    // He et al. 2015, eq. 10: variance 2 / fan_in; a uniform law ends at sqrt(3 variance).
    const double variance = 2.0 / array.fan_in;
    const double squares = std::inner_product(part.begin(), part.end(), part.begin(), 0.0);
    const auto n = static_cast<double>(array.size);
    EXPECT_NEAR(squares / n / variance, 1.0, 4.0 * std::sqrt(0.8 / n)) << array.name;
    const float largest =
        std::abs(*std::ranges::max_element(part, {}, [](float v) { return std::abs(v); }));
    EXPECT_LE(largest, std::sqrt(3.0 * variance)) << array.name;
    EXPECT_GT(largest, 0.97 * std::sqrt(3.0 * variance)) << array.name;
  }
}

TEST(InitialParameters, DependOnSeedAndArrayOnly) {
  const Network narrow = from_lines({"conv 4 3", "conv 4 3", "dense 6"}, {4, 7, 9}, 2);
  const Network wide = from_lines({"conv 4 3", "conv 8 3", "dense 6"}, {4, 7, 9}, 2);
  const auto a = initial_parameters(narrow, 1);
  const auto b = initial_parameters(wide, 1);
  EXPECT_EQ(a, initial_parameters(narrow, 1));
  EXPECT_NE(a, initial_parameters(narrow, 2));
  const auto arrays = parameters(narrow);
  EXPECT_TRUE(std::equal(a.begin(), a.begin() + 144, b.begin()));
  const auto second = a.begin() + static_cast<std::ptrdiff_t>(arrays[2].offset);
  EXPECT_TRUE(std::equal(second, second + 144, b.begin() + 148));
  EXPECT_FALSE(std::equal(second, second + 144, a.begin()));
}

}  // namespace
}  // namespace oida
