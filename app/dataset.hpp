#pragma once
// From scenes and labels to the samples and features of one rank.

#include <memory>
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "data/classes.hpp"
#include "data/patch_store.hpp"
#include "data/scene_source.hpp"
#include "data/shards.hpp"
#include "data/split.hpp"
#include "deck.hpp"
#include "io/scene/scene_reader.hpp"
#include "polsar/normaliser.hpp"

namespace oida::app {

using Scenes = std::vector<std::unique_ptr<SceneSource>>;

/// What all ranks know alike, and this rank's share of the samples.
struct Dataset {
  Scenes scenes;
  ClassTable classes;
  FeatureRecipe recipe;
  Split split;
  Defects defects;                                       // over whole scenes
  std::vector<std::int64_t> shard_samples;               // by unit
  std::vector<std::string> shard_checksums;              // by unit
  std::vector<std::vector<std::int64_t>> shard_classes;  // samples by unit and class
  std::string checksum;                                  // of all training samples
  std::vector<Sample> shard;                             // of this unit
  std::vector<Sample> validation;    // this unit's part of the validation samples in use
  std::size_t validation_total = 0;  // over all units
  std::vector<Sample> common;        // validation samples that every unit scores
  std::vector<std::string> warnings;
};

/// Collective. Opens, checks and splits; reads each scene once over all ranks, no features yet. No
/// unit has samples yet.
Dataset prepare(Comm& comm, const Deck& deck);
/// Collective. Gives every unit its samples, by weights from 1.
void deal(Comm& comm, const Deck& deck, Dataset& data, const std::vector<std::int64_t>& weights);

/// Margin in pixels around a block that its patches reach into.
int patch_margin_px(const Dataset& data, const Deck& deck);

/// Bytes that load() will hold on this rank.
std::int64_t store_bytes(const Dataset& data, const Deck& deck);

/// Bytes of its features alone.
std::size_t scene_bytes(const Dataset& data, const Deck& deck);

/// Features of the blocks that `samples` stand in, not normalised.
PatchStore load(Dataset& data, const Deck& deck, const std::vector<Sample>& samples);

/// Collective. Fitted on the centre pixels of all units' training samples.
Normaliser fit_normaliser(Comm& comm, const PatchStore& store, const std::vector<Sample>& shard);

/// Classes that have training samples.
std::vector<bool> trained_classes(const Dataset& data);

SceneOptions scene_options(const Deck& deck);
/// Opens the deck's scenes; InputError when there is none.
Scenes open_scenes(const Deck& deck);
/// InputError where the scenes, the first of which decides, do not all allow the deck's features.
FeatureRecipe feature_recipe(const Deck& deck, const Scenes& scenes);

}  // namespace oida::app
