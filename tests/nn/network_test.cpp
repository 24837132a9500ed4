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
    EXPECT_EQ(built_in(name, {9, 15, 15}, 3).name, name);
  }
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
