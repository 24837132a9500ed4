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
#include "data/tiles.hpp"
#include "deck.hpp"
#include "io/scene/scene_reader.hpp"
#include "polsar/normaliser.hpp"
#include "scene_labels.hpp"

namespace oida::app {

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

  /// Where model.output = dense. Tiles are what is dealt out, shards are the samples in them;
  /// validation and common hold tiles then, and validation_total the samples in them.
  struct {
    std::vector<Sample> shard;              // tiles of this unit
    std::vector<std::int64_t> shard_tiles;  // by unit
    std::unique_ptr<TileLabels> training;   // of this unit's shard
    std::unique_ptr<TileLabels> validation;
  } tiles;

  /// What is drawn for a batch: samples, or tiles.
  const std::vector<Sample>& drawn() const { return dense() ? tiles.shard : shard; }
  const std::vector<std::int64_t>& drawn_by_unit() const {
    return dense() ? tiles.shard_tiles : shard_samples;
  }
  bool dense() const { return tiles.training != nullptr; }
};

/// Collective. Opens, checks and splits; reads each scene once over all ranks, no features yet. No
/// unit has samples yet.
Dataset prepare(Comm& comm, const Deck& deck);
/// Collective. Gives every unit its samples, by weights from 1.
void deal(Comm& comm, const Deck& deck, Dataset& data, const std::vector<std::int64_t>& weights);

/// What is read of a block: itself and the margin that its patches reach into; where tiles are cut,
/// what they may show of it.
Window block_window(const Dataset& data, const Deck& deck, std::uint32_t block);

/// Bytes that load() will hold on this rank.
std::int64_t store_bytes(const Dataset& data, const Deck& deck);

/// What this rank has read of the scenes so far: its part of the survey and its blocks.
struct SceneReading {
  double read_s = 0;
  std::int64_t bytes = 0;
};
SceneReading scene_reading(const Dataset& data);
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
