#pragma once
// Which labelled pixels train, validate and test.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "data/classes.hpp"
#include "data/scene_source.hpp"

namespace oida {

/// The centre pixel of a patch.
struct Sample {
  std::uint32_t block = 0;  // index into Split::blocks
  std::int32_t row = 0;     // in the scene
  std::int32_t col = 0;
  std::uint8_t label = 0;  // class index, 0 .. classes-1

  bool operator==(const Sample&) const = default;
};

enum class Part : std::uint8_t { training, validation, test };

/// A square of the scene that belongs to one part (blocks and checkerboard), or holds samples of
/// all parts (random, file).
struct Block {
  int scene = 0;
  Window window;
  Part part = Part::training;
};

struct SplitOptions {
  enum class Kind { blocks, checkerboard, random, file };
  Kind kind = Kind::checkerboard;
  int block_px = 64;
  /// Pixels at a block's rim whose centres are not used; -1 = auto: patch_px / 2 + halo_px, so that
  /// every patch, and all that its features are made of, lies inside its own block and no pixel is
  /// shared between parts.
  int buffer_px = -1;
  double validation_share = 0.1;  // of the training side
  /// Of the labelled pixels; checkerboard: not used.
  double test_share = 0.3;
  /// Upper limit of training samples a class, over all units; 0 = none.
  std::int64_t max_per_class = 0;
  int patch_px = 15;
  std::uint64_t seed = 1;
  /// Pixels around a patch that its features depend on (FeatureRecipe::halo_px).
  int halo_px = 0;
};

/// InputError on an unknown name.
SplitOptions::Kind split_kind(const std::string& name);
std::string to_string(SplitOptions::Kind kind);
/// The buffer in force: auto resolved; 0 for random and file, which have no use for one.
int buffer_px(const SplitOptions& options);

struct Split {
  SplitOptions::Kind kind = SplitOptions::Kind::checkerboard;
  std::vector<Block> blocks;
  std::vector<Sample> training, validation, test;
  /// Samples a class and part: [part][class].
  std::array<std::vector<std::int64_t>, 3> counts;
  /// "class 'Buildings' has no test samples: left out of AA, F1 and mIoU" and the like.
  std::vector<std::string> warnings;

  /// A pixel of a test patch can also stand in a training patch.
  bool pixels_shared = false;

  bool leaky() const { return pixels_shared; }
};

/// The same on every rank for the same labels and options; samples are sorted by block, row,
/// column.
///
/// checkerboard: blocks with (block row + block column) even train, the others test.
/// blocks: random blocks test until `test_share` of the labelled pixels is reached.
/// random: random pixels of each class (leaky, on request only).
/// Validation is taken from the training side by whole blocks (random: by pixels) until
/// `validation_share` of it is reached: blocks in random order, those that bring a class new to
/// validation first, none whose loss leaves a class less than half of its training samples.
/// file: `parts`, one image a scene, says of every pixel 0 unused, 1 trains, 2 validates, 3 tests;
/// patches of two parts that share a pixel make the split a leaky one.
/// `names` are used in warnings; without them classes go by number.
/// InputError when a part that is needed has no sample at all, or an option is out of range.
Split make_split(const std::vector<LabelImage>& labels, int classes, const SplitOptions& options,
                 const std::vector<std::string>& names = {},
                 const std::vector<LabelImage>& parts = {});

}  // namespace oida
