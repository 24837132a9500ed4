#include "data/sampler.hpp"

#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "allocations.hpp"
#include "core/error.hpp"
#include "scenes.hpp"

namespace oida {
namespace {

constexpr int kClasses = 4;
constexpr int kPatch = 5;
const Window kScene{0, 0, 40, 40};

/// 101 samples at different places: 60, 30, 0 and 11 of the four classes.
std::vector<Sample> shard() {
  std::vector<Sample> samples;
  for (int i = 0; i < 101; ++i) {
    const int label = i < 60 ? 0 : i < 90 ? 1 : 3;
    samples.push_back({0, 5 + i / 25, 5 + i % 25, static_cast<std::uint8_t>(label)});
  }
  return samples;
}

PatchStore store() {
  PatchStore made(kPatch, {1, 1, 1, 1, 1, -1, -1, -1, -1});
  made.add(0, kScene, test::telling_features(kScene, 9));
  return made;
}

Batch filled(Sampler& sampler, std::uint64_t step) {
  Batch batch(16, kPatch, kPatch, 9, 16);
  sampler.fill(step, store(), batch);
  return batch;
}

SamplerOptions options(double balanced_share, Augmentation augmentation) {
  return {16, balanced_share, augmentation, 3, 2};
}

TEST(Sampler, StepsMayBeFilledInAnyOrder) {
  for (const double share : {0.0, 0.5}) {
    Sampler forward(shard(), kClasses, options(share, Augmentation::dihedral));
    Sampler backward(shard(), kClasses, options(share, Augmentation::dihedral));
    std::map<std::uint64_t, Batch> batches;
    for (std::uint64_t step = 0; step < 30; ++step) batches[step] = filled(forward, step);
    for (std::uint64_t step = 30; step-- > 0;) {
      const Batch again = filled(backward, step);
      EXPECT_EQ(again.input, batches[step].input) << step;
      EXPECT_EQ(again.labels, batches[step].labels) << step;
      EXPECT_EQ(again.n, 16);
      EXPECT_EQ(again.step, step);
    }
  }
}

TEST(Sampler, BatchHoldsThePatchesAndLabelsOfItsSamples) {
  Sampler sampler(shard(), kClasses, options(0.25, Augmentation::none));
  const Batch batch = filled(sampler, 12);
  const auto samples = sampler.samples(12);
  ASSERT_EQ(samples.size(), 16U);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(batch.labels[i], samples[i].label);
    const float* centre = batch.sample(static_cast<int>(i)) + (2 * kPatch + 2) * 16;
    EXPECT_EQ(centre[0], static_cast<float>(1 + (samples[i].row * 500 + samples[i].col) * 16));
    EXPECT_EQ(centre[9], 0.0F);
  }
}

/// Places drawn by steps 0 .. steps-1, in order.
std::vector<std::pair<int, int>> drawn(Sampler& sampler, std::uint64_t steps) {
  std::vector<std::pair<int, int>> places;
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (const Sample& sample : sampler.samples(step)) places.emplace_back(sample.row, sample.col);
  }
  return places;
}

TEST(Sampler, DrawsEverySampleOnceAnEpoch) {
  Sampler sampler(shard(), kClasses, options(0.0, Augmentation::none));
  const auto places = drawn(sampler, 101);  // 16 epochs
  std::vector<std::vector<std::pair<int, int>>> epochs;
  for (std::size_t epoch = 0; epoch < 16; ++epoch) {
    const auto begin = places.begin() + static_cast<std::ptrdiff_t>(epoch * 101);
    epochs.emplace_back(begin, begin + 101);
    const std::set<std::pair<int, int>> distinct(begin, begin + 101);
    EXPECT_EQ(distinct.size(), 101U) << epoch;
  }
  EXPECT_EQ(std::set(epochs.begin(), epochs.end()).size(), 16U) << "epochs in different orders";
}

TEST(Sampler, UnitAndSeedMatter) {
  const auto first = [](std::uint64_t seed, int unit) {
    Sampler sampler(shard(), kClasses, {16, 0.0, Augmentation::none, seed, unit});
    return drawn(sampler, 1);
  };
  EXPECT_NE(first(1, 0), first(1, 1));
  EXPECT_NE(first(1, 0), first(2, 0));
  const auto seed_of = [](int unit) {
    Sampler sampler(shard(), kClasses, {16, 0.0, Augmentation::none, 1, unit});
    return filled(sampler, 0).seed;
  };
  EXPECT_NE(seed_of(0), seed_of(1)) << "units must not drop the same neurons";
}

TEST(Sampler, BalancedShareTakesTheClassesInTurn) {
  Sampler sampler(shard(), kClasses, options(0.5, Augmentation::none));
  std::map<int, std::vector<std::pair<int, int>>> balanced;
  std::set<std::pair<int, int>> rest;
  for (std::uint64_t step = 0; step < 33; ++step) {
    const auto samples = sampler.samples(step);
    for (std::size_t i = 0; i < 16; ++i) {
      const std::pair place(samples[i].row, samples[i].col);
      if (i < 8) rest.insert(place);
      if (i >= 8) balanced[samples[i].label].push_back(place);
    }
  }
  EXPECT_EQ(rest.size(), 101U) << "264 draws of the other half cover the shard";
  ASSERT_EQ(balanced.size(), 3U) << "the class that the shard lacks takes no turn";
  for (const auto& [label, places] : balanced) EXPECT_EQ(places.size(), 88U) << label;
  const auto& rare = balanced[3];  // 8 epochs of 11
  for (std::size_t epoch = 0; epoch < 8; ++epoch) {
    const auto begin = rare.begin() + static_cast<std::ptrdiff_t>(epoch * 11);
    EXPECT_EQ(std::set(begin, begin + 11).size(), 11U);
  }
}

/// How often each symmetry was applied over 250 steps, found by comparing patches.
std::array<int, 8> symmetries(Augmentation augmentation) {
  const PatchStore features = store();
  Sampler sampler(shard(), kClasses, options(0.0, augmentation));
  std::array<int, 8> hits{};
  Batch batch(16, kPatch, kPatch, 9, 9);
  std::vector<float> patch(batch.sample_floats());
  for (std::uint64_t step = 0; step < 250; ++step) {
    sampler.fill(step, features, batch);
    const auto samples = sampler.samples(step);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      for (std::uint8_t bits = 0; bits < 8; ++bits) {
        features.cut(samples[i], {bits}, patch.data(), 9);
        hits[bits] += std::equal(patch.begin(), patch.end(), batch.sample(static_cast<int>(i)));
      }
    }
  }
  return hits;
}

TEST(Sampler, AugmentsAsAsked) {
  EXPECT_EQ(symmetries(Augmentation::none), (std::array<int, 8>{4000, 0, 0, 0, 0, 0, 0, 0}));
  const auto mirror = symmetries(Augmentation::mirror);
  EXPECT_EQ(mirror[0] + mirror[2], 4000) << "only rows are mirrored";
  EXPECT_NEAR(mirror[2], 2000, 5.0 * std::sqrt(1000.0));
  for (const int hits : symmetries(Augmentation::dihedral)) {
    EXPECT_NEAR(hits, 500, 5.0 * std::sqrt(437.5));
  }
}

TEST(Sampler, FillAllocatesNothing) {
  const PatchStore features = store();
  Sampler sampler(shard(), kClasses, options(0.5, Augmentation::dihedral));
  Batch batch(16, kPatch, kPatch, 9, 16);
  const std::size_t before = test::allocations();
  for (std::uint64_t step = 0; step < 50; ++step) sampler.fill(step, features, batch);
  EXPECT_EQ(test::allocations(), before);
}

TEST(Sampler, RefusesWhatDoesNotFit) {
  const auto make = [](std::vector<Sample> samples, int classes, int batch, double share) {
    Sampler sampler(std::move(samples), classes, {batch, share, Augmentation::none, 1, 0});
  };
  EXPECT_THROW(make({}, kClasses, 16, 0.0), Error);
  EXPECT_THROW(make(shard(), 3, 16, 0.0), Error);
  EXPECT_THROW(make(shard(), kClasses, 0, 0.0), Error);
  EXPECT_THROW(make(shard(), kClasses, 16, 1.5), Error);
  EXPECT_THROW(make(shard(), kClasses, 16, NAN), Error);
  Sampler sampler(shard(), kClasses, options(0.0, Augmentation::none));
  Batch small(15, kPatch, kPatch, 9, 9), other(16, kPatch + 1, kPatch, 9, 9);
  EXPECT_THROW(sampler.fill(0, store(), small), Error);
  EXPECT_THROW(sampler.fill(0, store(), other), Error);
}

TEST(Evaluation, FillsBatchesInOrderAndTheLastOneInPart) {
  const auto samples = shard();
  const PatchStore features = store();
  Batch batch(40, kPatch, kPatch, 9, 16);
  std::size_t first = 0;
  for (const int want : {40, 40, 21, 0}) {
    ASSERT_EQ(fill_evaluation(samples, first, features, batch), want);
    ASSERT_EQ(batch.n, want);
    for (std::size_t i = 0; i < 40; ++i) {
      const bool counts = i < static_cast<std::size_t>(want);
      ASSERT_EQ(batch.labels[i], counts ? samples[first + i].label : -1);
      if (!counts) continue;
      const float* centre = batch.sample(static_cast<int>(i)) + (2 * kPatch + 2) * 16;
      const Sample& sample = samples[first + i];
      ASSERT_EQ(centre[0], static_cast<float>(1 + (sample.row * 500 + sample.col) * 16));
    }
    first += static_cast<std::size_t>(want);
  }
}

}  // namespace
}  // namespace oida
