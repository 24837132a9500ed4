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
    Network network = built_in(name, kInput, 15);
    const Network again = from_lines(to_lines(network), kInput, 15);
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

TEST(NetworkText, RefusesWhatItCannotRead) {
  for (const std::string line :
       {"", "convolution 8 3", "conv 8", "conv eight 3", "conv 8 3 relu pad 1", "conv 8 3x",
        "conv 8 3.5", "max_pool", "max_pool 2 relu", "dense", "dense 8 8", "relu 6", "dropout",
        "dropout nan", "average_pool 2 stride"}) {
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
