#include "data/split.hpp"

#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "scenes.hpp"

namespace oida {
namespace {

using Kind = SplitOptions::Kind;
constexpr int kClasses = 6;
const std::vector<Kind> kKinds = {Kind::blocks, Kind::checkerboard, Kind::random};

const std::vector<LabelImage>& scenes() {
  static const std::vector<LabelImage> images = {test::fields(251, 203, kClasses, 1),
                                                 test::fields(99, 161, kClasses, 2)};
  return images;
}

SplitOptions small(Kind kind) {
  return {kind, 24, -1, 0.1, 0.3, 0, 7, 5};
}

std::int64_t total(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

TEST(Split, BlocksTileTheScenes) {
  const Split split = make_split(scenes(), kClasses, small(Kind::checkerboard));
  std::vector<LabelImage> covered;
  for (const auto& image : scenes()) {
    covered.push_back({image.rows, image.cols, std::vector<std::uint8_t>(image.classes.size())});
  }
  for (const auto& [scene, window, part] : split.blocks) {
    for (int row = window.row; row < window.row + window.rows; ++row) {
      for (int col = window.col; col < window.col + window.cols; ++col) {
        ++covered[static_cast<std::size_t>(scene)].at(row, col);
      }
    }
  }
  for (const auto& image : covered) {
    EXPECT_EQ(image.classes, std::vector<std::uint8_t>(image.classes.size(), 1));
  }
}

TEST(Split, IsTheSameAtEveryCallAndAnotherWithAnotherSeed) {
  for (const Kind kind : kKinds) {
    SplitOptions options = small(kind);
    options.max_per_class = 50;
    const Split a = make_split(scenes(), kClasses, options);
    const Split b = make_split(scenes(), kClasses, options);
    EXPECT_EQ(a.training, b.training);
    EXPECT_EQ(a.validation, b.validation);
    EXPECT_EQ(a.test, b.test);
    options.seed = 6;
    const Split other = make_split(scenes(), kClasses, options);
    EXPECT_NE(a.training, other.training);
    EXPECT_NE(a.validation, other.validation);
    EXPECT_EQ(a.test == other.test, kind == Kind::checkerboard);
  }
}

TEST(Split, CountsAndOrderAreRight) {
  for (const Kind kind : kKinds) {
    const Split split = make_split(scenes(), kClasses, small(kind));
    for (std::size_t part = 0; part < 3; ++part) {
      const auto& samples = *test::parts(split)[part];
      std::vector<std::int64_t> counts(kClasses);
      for (const Sample& sample : samples) {
        const Block& block = split.blocks[sample.block];
        const auto& image = scenes()[static_cast<std::size_t>(block.scene)];
        ASSERT_EQ(image.at(sample.row, sample.col), sample.label + 1);
        if (kind != Kind::random) {
          ASSERT_EQ(block.part, static_cast<Part>(part));
        }
        ++counts[sample.label];
      }
      EXPECT_EQ(split.counts[part], counts);
      EXPECT_TRUE(std::is_sorted(samples.begin(), samples.end(), [](const auto& a, const auto& b) {
        return std::tuple(a.block, a.row, a.col) < std::tuple(b.block, b.row, b.col);
      }));
    }
  }
}

/// Labelled pixels at least `buffer_px` from the rim of their block.
std::size_t usable_centres(int block_px, int buffer_px) {
  std::size_t usable = 0;
  for (const auto& image : scenes()) {
    const auto inside = [&](int at, int length) {
      const int first = at / block_px * block_px;
      const int last = std::min(first + block_px, length) - 1;
      return at >= first + buffer_px && at <= last - buffer_px;
    };
    for (int row = 0; row < image.rows; ++row) {
      for (int col = 0; col < image.cols; ++col) {
        usable += image.at(row, col) != 0 && inside(row, image.rows) && inside(col, image.cols);
      }
    }
  }
  return usable;
}

TEST(Split, EveryUsablePixelIsUsedOnce) {
  for (const Kind kind : kKinds) {
    const Split split = make_split(scenes(), kClasses, small(kind));
    std::set<std::tuple<int, int, int>> places;
    std::size_t samples = 0;
    for (const auto* part : test::parts(split)) {
      for (const Sample& sample : *part) places.insert(test::place(split, sample));
      samples += part->size();
    }
    EXPECT_EQ(places.size(), samples);
    EXPECT_EQ(samples, usable_centres(24, kind == Kind::random ? 0 : 3));
  }
}

TEST(Split, CheckerboardNeverTrainsOnABlackSquare) {
  const Split split = make_split(scenes(), kClasses, small(Kind::checkerboard));
  for (std::size_t part = 0; part < 3; ++part) {
    for (const Sample& sample : *test::parts(split)[part]) {
      ASSERT_EQ((sample.row / 24 + sample.col / 24) % 2 != 0, part == 2);
    }
  }
}

TEST(Split, BlocksTestTheWantedShare) {
  const SplitOptions options = small(Kind::blocks);
  const Split split = make_split(scenes(), kClasses, options);
  std::vector<std::int64_t> of_block(split.blocks.size());
  for (const auto* part : test::parts(split)) {
    for (const Sample& sample : *part) ++of_block[sample.block];
  }
  const double all = static_cast<double>(usable_centres(24, 3));
  const double biggest = static_cast<double>(*std::max_element(of_block.begin(), of_block.end()));
  const double test = static_cast<double>(split.test.size());
  EXPECT_GE(test, 0.3 * all);
  EXPECT_LT(test, 0.3 * all + biggest);
  const double validation = static_cast<double>(split.validation.size());
  EXPECT_GE(validation, 0.1 * (all - test));
  EXPECT_LT(validation, 0.1 * (all - test) + biggest);
}

TEST(Split, ValidationLeavesHalfOfEveryClass) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SplitOptions options = small(Kind::checkerboard);
    options.seed = seed;
    options.validation_share = 0.45;
    const Split split = make_split(scenes(), kClasses, options);
    for (std::size_t c = 0; c < kClasses; ++c) {
      ASSERT_GE(split.counts[0][c], split.counts[1][c]) << "seed " << seed << " class " << c;
    }
  }
}

/// Two classes in stripes; class 3 stands in one training block only.
LabelImage striped_with_a_rare_class() {
  LabelImage image{80, 80, std::vector<std::uint8_t>(6400)};
  for (int row = 0; row < 80; ++row) {
    for (int col = 0; col < 80; ++col) image.at(row, col) = static_cast<std::uint8_t>(1 + row % 2);
  }
  for (int row = 20; row < 40; ++row) {
    for (int col = 20; col < 40; ++col) image.at(row, col) = 3;
  }
  return image;
}

TEST(Split, TheOnlyBlockOfAClassStaysInTraining) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SplitOptions options{Kind::checkerboard, 20, 0, 0.4, 0.3, 0, 1, seed};
    const Split split = make_split({striped_with_a_rare_class()}, 3, options, {"a", "b", "Rare"});
    ASSERT_EQ(split.counts[0][2], 400);
    ASSERT_EQ(split.warnings, std::vector<std::string>{
                                  "class 'Rare' has no test samples: left out of AA, F1 and mIoU"});
  }
}

// One pixel of the rare class in 4 of 50 training blocks: 5 random blocks would miss it more often
// than not.
TEST(Split, ValidationSeeksEveryClass) {
  LabelImage image{100, 100, std::vector<std::uint8_t>(10000, 1)};
  for (const int at : {5, 25, 45, 65}) image.at(at, at) = 2;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SplitOptions options{Kind::checkerboard, 10, 0, 0.1, 0.3, 0, 1, seed};
    const Split split = make_split({image}, 2, options);
    ASSERT_EQ(split.validation.size(), 500U);
    ASSERT_EQ(split.counts[1][1], 1) << seed;
  }
}

TEST(Split, WarnsOfAClassThatIsNowhereAndOfLittleValidation) {
  const LabelImage image = striped_with_a_rare_class();
  const SplitOptions options{Kind::checkerboard, 20, 0, 0.9, 0.3, 0, 1, 1};
  const Split split = make_split({image}, 4, options);
  ASSERT_EQ(split.warnings.size(), 3U);
  EXPECT_EQ(split.warnings[0], "class '3' has no test samples: left out of AA, F1 and mIoU");
  EXPECT_EQ(split.warnings[1],
            "class '4' has no training and no test samples: left out of AA, F1 and mIoU");
  EXPECT_EQ(split.warnings[2].substr(0, 15), "validation has ");
}

TEST(Split, LimitCountsTrainingSamplesAClass) {
  for (const Kind kind : kKinds) {
    SplitOptions options = small(kind);
    const Split all = make_split(scenes(), kClasses, options);
    options.max_per_class = 300;
    const Split limited = make_split(scenes(), kClasses, options);
    for (std::size_t c = 0; c < kClasses; ++c) {
      EXPECT_EQ(limited.counts[0][c], std::min<std::int64_t>(300, all.counts[0][c]));
      EXPECT_EQ(limited.counts[1][c], all.counts[1][c]);
      EXPECT_EQ(limited.counts[2][c], all.counts[2][c]);
    }
    EXPECT_EQ(limited.training.size(), static_cast<std::size_t>(total(limited.counts[0])));
    EXPECT_EQ(limited.training.capacity(), limited.training.size());
    if (kind != Kind::random) {
      EXPECT_EQ(limited.test, all.test);
      EXPECT_TRUE(
          std::all_of(limited.training.begin(), limited.training.end(), [&](const Sample& s) {
            return std::find(all.training.begin(), all.training.end(), s) != all.training.end();
          }));
    }
  }
}

// Every training pixel is chosen with the same probability: early, middle and late ones.
TEST(Split, LimitChoosesEvenly) {
  const LabelImage half{100, 80, std::vector<std::uint8_t>(8000, 1)};
  LabelImage image = half;
  for (int col = 0; col < 80; ++col) image.at(99, col) = 2;
  std::array<double, 10> hits{};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const SplitOptions options{Kind::random, 16, -1, 0.0, 0.0, 99, 1, seed};
    for (const Sample& sample : make_split({image}, 2, options).training) {
      if (sample.label == 0) hits[static_cast<std::size_t>(sample.row / 10)] += 1.0;
    }
  }
  double chi_squared = 0.0;
  for (std::size_t i = 0; i < 10; ++i) {
    const double want = 9900.0 * (i == 9 ? 9.0 : 10.0) / 99.0;
    chi_squared += std::pow(hits[i] - want, 2) / want;
  }
  EXPECT_LT(chi_squared, 27.9);  // 0.999 quantile at 9 degrees of freedom
}

TEST(Split, RandomTakesItsSharesOfEveryClass) {
  SplitOptions options = small(Kind::random);
  options.test_share = 0.99;
  const Split split = make_split(scenes(), kClasses, options);
  for (std::size_t c = 0; c < kClasses; ++c) {
    const std::int64_t n = split.counts[0][c] + split.counts[1][c] + split.counts[2][c];
    EXPECT_EQ(split.counts[2][c], std::llround(0.99 * static_cast<double>(n)));
    EXPECT_EQ(split.counts[1][c], std::llround(0.1 * static_cast<double>(n - split.counts[2][c])));
  }
}

TEST(Split, RandomValidationLeavesHalfOfEveryClass) {
  SplitOptions options = small(Kind::random);
  options.validation_share = 0.9;
  const Split split = make_split(scenes(), kClasses, options);
  for (std::size_t c = 0; c < kClasses; ++c) EXPECT_GE(split.counts[0][c], split.counts[1][c]);
}

TEST(Split, PartsThatAreNotWantedStayEmpty) {
  SplitOptions options = small(Kind::blocks);
  options.test_share = 0.0;
  options.validation_share = 0.0;
  const Split split = make_split(scenes(), kClasses, options);
  EXPECT_TRUE(split.test.empty());
  EXPECT_TRUE(split.validation.empty());
  EXPECT_EQ(split.training.size(), usable_centres(24, 3));
}

std::string refusal(const SplitOptions& options, const std::vector<LabelImage>& labels = scenes()) {
  try {
    make_split(labels, kClasses, options);
  } catch (const InputError& error) {
    return error.message().substr(0, error.message().find(':'));
  }
  return "accepted";
}

TEST(Split, RefusesOptionsThatCannotWork) {
  const SplitOptions good = small(Kind::blocks);
  const auto with = [&](auto SplitOptions::*member, auto value) {
    SplitOptions options = good;
    options.*member = value;
    return refusal(options);
  };
  EXPECT_EQ(refusal(good), "accepted");
  EXPECT_EQ(with(&SplitOptions::test_share, 1.0), "data.test_share");
  EXPECT_EQ(with(&SplitOptions::test_share, -0.1), "data.test_share");
  EXPECT_EQ(with(&SplitOptions::validation_share, NAN), "data.validation_share");
  EXPECT_EQ(with(&SplitOptions::buffer_px, -2), "data.buffer_px");
  EXPECT_EQ(with(&SplitOptions::patch_px, 0), "data.patch_px");
  EXPECT_EQ(with(&SplitOptions::block_px, 0), "data.block_px");
  EXPECT_EQ(with(&SplitOptions::block_px, 6), "data.block_px") << "no centre in a block";
  EXPECT_EQ(with(&SplitOptions::block_px, 7), "accepted");
}

TEST(Split, RefusesToLeaveAPartEmpty) {
  const std::vector<LabelImage> tiny = {{24, 24, std::vector<std::uint8_t>(576, 1)}};
  EXPECT_EQ(refusal(small(Kind::checkerboard), tiny), "data.split");
  EXPECT_EQ(refusal(small(Kind::blocks), tiny), "data.split");
  EXPECT_EQ(refusal(small(Kind::random), tiny), "accepted");
  const std::vector<LabelImage> bare = {{24, 24, std::vector<std::uint8_t>(576, 0)}};
  EXPECT_EQ(refusal(small(Kind::random), bare), "data.split");
}

TEST(Split, RefusesALabelAboveTheClasses) {
  EXPECT_THROW(make_split(scenes(), kClasses - 1, small(Kind::blocks)), Error);
}

TEST(Split, KindsHaveNames) {
  for (const Kind kind : kKinds) EXPECT_EQ(split_kind(to_string(kind)), kind);
  EXPECT_THROW(split_kind("chessboard"), InputError);
}

}  // namespace
}  // namespace oida
