#pragma once
// The deck: every setting of a run, from an INI file, the command line and defaults, in that order
// of weakness. One table in deck.cpp names every key with its default, range and meaning.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace oida::app {

struct Deck {
  std::string file;    // as given
  std::string folder;  // relative paths start here

  struct {
    std::vector<std::string> path, labels, class_names, class_alias;
    std::string format, channels, cache, label_attribute;
    std::int64_t rows, cols, ignore_label;
  } scene;
  struct {
    std::vector<std::string> split_file;
    std::string features, speckle_filter, split, buffer_px, shards, shard_weights, augmentation;
    std::int64_t patch_px, tile_px, tile_shift_px, block_px, max_per_class, resample_looks, seed;
    double validation_share, test_share, balanced_share, orientation_deg;
  } data;
  struct {
    std::string name, output;
    std::vector<std::string> layers;
    std::int64_t seed;
  } model;
  struct {
    double epochs, learning_rate, momentum, warm_up, average_share, weight_decay, label_smoothing;
    std::int64_t batch, global_batch, window, seed;
    std::string optimizer, schedule, class_weights, precision;
  } train;
  struct {
    std::string exchange, interleave, momentum, wire, merge, guard;
    double guard_factor, interleave_until;
    std::int64_t staleness, guard_retries, merge_samples, validate_every, validate_samples;
  } oida;
  struct {
    std::string kind, engine, kernels, oversubscribe;
    std::int64_t threads, node_ranks, memory_limit_mb;
  } device;
  struct {
    std::string dir, resume, trace, class_map, probabilities, entropy, progress;
    double checkpoint_every_s, time_limit_s, stall_timeout_s;
    std::int64_t keep;
  } run;
  struct {
    std::int64_t rows, cols, looks, field_px, seed;
    double texture;
  } synth;

  bool check = false;    // --check
  bool dry_run = false;  // --dry-run

  bool dense() const { return model.output == "dense"; }

  /// Every key with its value as text, in the table's order; a list has several.
  std::vector<std::pair<std::string, std::vector<std::string>>> resolved;

  std::string resolved_ini() const;
};

/// Reads `DECK.ini [--section.key=value ...]`. InputError naming the key or the file.
Deck read_deck(const std::vector<std::string>& arguments);

/// The table of keys for --help.
std::string deck_help();

/// `path` itself when absolute, else under the deck's folder.
std::string beside_deck(const Deck& deck, const std::string& path);

}  // namespace oida::app
