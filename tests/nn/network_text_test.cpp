#include <gtest/gtest.h>

#include "core/error.hpp"
#include "nn/network.hpp"

namespace oida {
namespace {

constexpr Shape kInput{9, 15, 15};

TEST(NetworkText, ReadsEveryLayer) {
  const Network network =
      from_lines({"conv 8 5", "  conv 8 3 stride 2  pad 0 relu", "max_pool 2 stride 1",
                  "average_pool 2", "dense 16 relu", "relu", "dropout 0.25"},
                 kInput, 5);
  const std::vector<Layer> expected{
      {.kind = LayerKind::conv, .out = 8, .kernel = 5, .stride = 1, .pad = 2},
      {.kind = LayerKind::conv, .out = 8, .kernel = 3, .stride = 2, .pad = 0, .relu = true},
      {.kind = LayerKind::max_pool, .kernel = 2, .stride = 1},
      {.kind = LayerKind::average_pool, .kernel = 2, .stride = 2},
      {.kind = LayerKind::dense, .out = 16, .relu = true},
      {.kind = LayerKind::relu},
      {.kind = LayerKind::dropout, .rate = 0.25F},
      {.kind = LayerKind::dense, .out = 5}};
  EXPECT_EQ(network.layers, expected);
}

TEST(NetworkText, AddsTheLastLayerOnlyWhereItIsMissing) {
  EXPECT_EQ(from_lines({"dense 5"}, kInput, 5).layers.size(), 1U);
  EXPECT_EQ(from_lines({"dense 5 relu"}, kInput, 5).layers.size(), 2U);
  EXPECT_EQ(from_lines({}, kInput, 5).layers.size(), 1U);
}

TEST(NetworkText, RoundTrips) {
  for (const auto& name : built_in_names()) {
    const Output output = name.starts_with("unet") ? Output::dense : Output::classes;
    Network network = built_in(name, {9, 16, 16}, 15, output);
    const Network again = from_lines(to_lines(network), {9, 16, 16}, 15, output);
    network.name = again.name;
    EXPECT_EQ(again, network);
  }
  const std::vector<std::string> lines{"conv 8 3 stride 2 pad 0 relu",
                                       "max_pool 2 stride 1",
                                       "average_pool 2",
                                       "relu",
                                       "dropout 0.1",
                                       "dense 5"};
  EXPECT_EQ(to_lines(from_lines(lines, kInput, 5)), lines);
}

TEST(NetworkText, ReadsSkipsNormsAndComplexLayers) {
  const std::vector<std::string> lines{"complex 3",
                                       "complex_conv 4 3 stride 2 pad 0 relu as first",
                                       "complex_max_pool 2 stride 1",
                                       "mod_relu",
                                       "upsample 2",
                                       "group_norm 4 relu",
                                       "batch_norm relu as wide",
                                       "conv_transpose 6 3 stride 1 relu",
                                       "magnitude",
                                       "conv_transpose 6 2",
                                       "dense 5"};
  const Network network = from_lines(lines, kInput, 5);
  const std::vector<Layer> expected{
      {.kind = LayerKind::complex, .reals = 3},
      {.kind = LayerKind::complex_conv,
       .out = 4,
       .kernel = 3,
       .stride = 2,
       .relu = true,
       .as = "first"},
      {.kind = LayerKind::complex_max_pool, .kernel = 2, .stride = 1},
      {.kind = LayerKind::mod_relu},
      {.kind = LayerKind::upsample, .kernel = 2},
      {.kind = LayerKind::group_norm, .relu = true, .groups = 4},
      {.kind = LayerKind::batch_norm, .relu = true, .as = "wide"},
      {.kind = LayerKind::conv_transpose, .out = 6, .kernel = 3, .stride = 1, .relu = true},
      {.kind = LayerKind::magnitude},
      {.kind = LayerKind::conv_transpose, .out = 6, .kernel = 2, .stride = 2},
      {.kind = LayerKind::dense, .out = 5}};
  EXPECT_EQ(network.layers, expected);
  EXPECT_EQ(to_lines(network), lines);
}

TEST(NetworkText, ClosesADenseOutputWithAConvolution) {
  const Network network = from_lines({"conv 8 3 relu as a", "concat a"}, kInput, 5, Output::dense);
  EXPECT_EQ(to_lines(network),
            (std::vector<std::string>{"conv 8 3 relu as a", "concat a", "conv 5 1"}));
  EXPECT_EQ(from_lines({"conv 5 3"}, kInput, 5, Output::dense).layers.size(), 1U);
  EXPECT_EQ(output_kind("dense"), Output::dense);
  EXPECT_EQ(output_kind("class"), Output::classes);
  EXPECT_THROW(output_kind("tiles"), InputError);
}

TEST(NetworkText, RefusesWhatItCannotRead) {
  for (const std::string line : {"",
                                 "convolution 8 3",
                                 "conv 8",
                                 "conv eight 3",
                                 "conv 8 3 relu pad 1",
                                 "conv 8 3x",
                                 "conv 8 3.5",
                                 "max_pool",
                                 "max_pool 2 relu",
                                 "dense",
                                 "dense 8 8",
                                 "relu 6",
                                 "dropout",
                                 "dropout nan",
                                 "concat",
                                 "conv 8 3 as",
                                 "conv 8 3 as a b",
                                 "group_norm",
                                 "upsample 2 relu",
                                 "complex",
                                 "mod_relu 3",
                                 "average_pool 2 stride"}) {
    try {
      from_lines({line}, kInput, 5);
      ADD_FAILURE() << "took '" << line << "'";
    } catch (const InputError& error) {
      EXPECT_EQ(error.message().rfind("model.layers: ", 0), 0U) << error.message();
    }
  }
}

}  // namespace
}  // namespace oida
