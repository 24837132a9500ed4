#include "oida/area_predictor.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/rng.hpp"

namespace oida {
namespace {

constexpr int kChannels = 3;
constexpr int kClasses = 4;
constexpr Extent kArea{61, 83};

FeatureWindow features_of(const Window& window) {
  FeatureWindow features{window.rows, window.cols, kChannels, {}, {}};
  for (int row = window.row; row < window.row + window.rows; ++row) {
    for (int col = window.col; col < window.col + window.cols; ++col) {
      Random random(5, Purpose::test, static_cast<std::uint64_t>(row * 1000 + col));
      for (int c = 0; c < kChannels; ++c) {
        features.values.push_back(static_cast<float>(random.normal()));
      }
      features.valid.push_back(1);
    }
  }
  return features;
}

EngineOptions reference() {
  EngineOptions options;
  options.kind = "reference";
  return options;
}

/// Two levels of pools, transposed convolutions and nearest upsampling, skips.
Network hourglass(int side_px, const std::string& norm = "relu") {
  return from_lines({"conv 4 3 relu as fine", "max_pool 2", "conv 5 3", norm, "relu as coarse",
                     "max_pool 2", "conv 6 3 relu", "conv_transpose 5 2", "concat coarse",
                     "conv 5 3 relu", "upsample 2", "concat fine", "conv 4 3 relu"},
                    {kChannels, side_px, side_px}, kClasses, Output::dense);
}

std::vector<float> weights_of(const Network& network) {
  auto parameters = initial_parameters(network, 9);
  Random random(2, Purpose::test);
  for (float& value : parameters) value += 0.05F * static_cast<float>(random.normal());
  return parameters;
}

/// Probabilities of one window of the network, zeros beyond the area, by the engine alone.
std::vector<float> by_one_window(Network network, std::span<const float> parameters,
                                 const Window& window, Extent area) {
  network.input.h = window.rows;
  network.input.w = window.cols;
  EngineOptions options = reference();
  options.max_batch = 1;
  const auto engine = make_engine(network, options);
  Batch batch = make_batch(*engine);
  for (int row = 0; row < std::min(window.rows, area.rows - window.row); ++row) {
    for (int col = 0; col < std::min(window.cols, area.cols - window.col); ++col) {
      const auto pixel = features_of({window.row + row, window.col + col, 1, 1});
      std::ranges::copy(pixel.values,
                        batch.input.begin() + (row * window.cols + col) * batch.channel_stride);
    }
  }
  AlignedVector<float> flat(engine->flat_size());
  engine->import_flat(parameters, flat);
  std::vector<float> probabilities(label_count(network) * kClasses);
  engine->predict(batch, flat, probabilities);
  return probabilities;
}

std::vector<float> by_tiles(AreaPredictor& predictor, Extent area) {
  std::vector<float> whole(static_cast<std::size_t>(area.rows * area.cols * kClasses), -1.0F);
  for (const Window& tile : predictor.tiles(area)) {
    const auto part = predictor.predict(tile, area, features_of(predictor.needed(tile, area)));
    for (int row = 0; row < tile.rows; ++row) {
      std::copy_n(part.begin() + row * tile.cols * kClasses, tile.cols * kClasses,
                  whole.begin() + ((tile.row + row) * area.cols + tile.col) * kClasses);
    }
  }
  return whole;
}

/// Largest difference, `expected` having lines of `cols` pixels.
double difference(const std::vector<float>& found, Extent area, const std::vector<float>& expected,
                  int cols) {
  double most = 0;
  for (int row = 0; row < area.rows; ++row) {
    for (int i = 0; i < area.cols * kClasses; ++i) {
      const float a = found[static_cast<std::size_t>(row * area.cols * kClasses + i)];
      const float b = expected[static_cast<std::size_t>(row * cols * kClasses + i)];
      most = std::max(most, std::abs(static_cast<double>(a) - static_cast<double>(b)));
    }
  }
  return most;
}

TEST(AreaPredictor, TilesGiveWhatOnePieceGives) {
  for (const char* norm : {"relu", "batch_norm"}) {
    const Network network = hourglass(16, norm);
    const auto parameters = weights_of(network);
    const auto whole = by_one_window(network, parameters, {0, 0, 64, 84}, kArea);
    for (const int tile_px : {4, 13, 20, 256}) {
      AreaPredictor predictor(network, reference(), parameters, kArea, tile_px);
      EXPECT_LT(difference(by_tiles(predictor, kArea), kArea, whole, 84), 1e-5) << tile_px;
    }
  }
}

/// The areas of a split's blocks at the scene's edge are smaller than the others.
TEST(AreaPredictor, AreasMayBeSmallerThanTheLargest) {
  const Network network = hourglass(16);
  const auto parameters = weights_of(network);
  AreaPredictor predictor(network, reference(), parameters, {64, 64}, 16);
  for (const Extent area : {Extent{5, 7}, Extent{33, 64}}) {
    const auto found = by_tiles(predictor, area);
    const auto wanted = by_one_window(network, parameters, {0, 0, 64, 64}, area);
    EXPECT_LT(difference(found, area, wanted, 64), 1e-5) << area.rows;
  }
}

TEST(AreaPredictor, TheBuiltInUnetIsTheSameInTiles) {
  const Network network = built_in("unet", {kChannels, 16, 16}, kClasses, Output::dense);
  const auto parameters = weights_of(network);
  const Extent area{20, 150};
  AreaPredictor predictor(network, reference(), parameters, area, 32);
  EXPECT_GT(predictor.tiles(area).size(), 4U);
  const auto whole = by_one_window(network, parameters, {0, 0, 20, 152}, area);
  EXPECT_LT(difference(by_tiles(predictor, area), area, whole, 152), 1e-5);
}

/// A norm over the window sees windows of the training tile's size; where they overlap, their
/// probabilities blend. Each pixel is worked out by itself here.
TEST(AreaPredictor, BlendsWindowsOfNetworksThatAreNotLocal) {
  constexpr int kTrained = 16, kPace = 8;
  const Network network = hourglass(kTrained, "group_norm 5");
  const auto parameters = weights_of(network);
  const Extent area{30, 27};  // on a canvas of 32 x 28
  std::vector<double> sums(30 * 27 * kClasses), weights(30 * 27);
  for (const int top : {0, kPace, 16}) {
    for (const int left : {0, kPace, 12}) {
      const auto part = by_one_window(network, parameters, {top, left, kTrained, kTrained}, area);
      for (int row = top; row < std::min(30, top + kTrained); ++row) {
        for (int col = left; col < std::min(27, left + kTrained); ++col) {
          const auto rim = [](int at) { return std::min(at + 1, kTrained - at); };
          const double weight = rim(row - top) * rim(col - left);
          weights[static_cast<std::size_t>(row * 27 + col)] += weight;
          for (int c = 0; c < kClasses; ++c) {
            const auto from = ((row - top) * kTrained + col - left) * kClasses + c;
            sums[static_cast<std::size_t>((row * 27 + col) * kClasses + c)] +=
                weight * static_cast<double>(part[static_cast<std::size_t>(from)]);
          }
        }
      }
    }
  }
  std::vector<float> wanted;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    wanted.push_back(static_cast<float>(sums[i] / weights[i / kClasses]));
  }
  for (const int tile_px : {8, 20, 256}) {
    AreaPredictor predictor(network, reference(), parameters, area, tile_px);
    EXPECT_LT(difference(by_tiles(predictor, area), area, wanted, 27), 1e-5) << tile_px;
  }
}

TEST(AreaPredictor, TakesTheFeaturesOfItsTileOnly) {
  const Network network = hourglass(16);
  AreaPredictor predictor(network, reference(), weights_of(network), kArea, 16);
  const Window tile = predictor.tiles(kArea).front();
  EXPECT_THROW(predictor.predict(tile, kArea, features_of(tile)), Error);
}

}  // namespace
}  // namespace oida
