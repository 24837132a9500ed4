#pragma once
// The normalised features of the blocks that a unit needs, and the patches cut from them.

#include <cstdint>
#include <string>
#include <vector>

#include "data/batch.hpp"
#include "data/split.hpp"
#include "polsar/features.hpp"
#include "polsar/normaliser.hpp"

namespace oida {

/// One of the eight symmetries of the square: bit 0 mirrors columns, bit 1 mirrors rows, bit 2
/// transposes (first). Each single mirror and the transposition are reflections.
struct Symmetry {
  std::uint8_t bits = 0;

  bool reflects() const { return ((bits ^ (bits >> 1) ^ (bits >> 2)) & 1) != 0; }
};

/// How training patches are varied.
///
/// A coherency matrix belongs to its pixel, so moving pixels about leaves it as it is, but a mirror
/// image is also seen with HV of opposite sign: reflections carry T13, T23 -> -T13, -T23.
/// `mirror`: only the mirror that the scattering physics makes exact, along the flight line (rows).
/// `dihedral`: all eight; the others hold as far as texture does not depend on the look direction.
enum class Augmentation { none, mirror, dihedral };
/// InputError on an unknown name.
Augmentation augmentation(const std::string& name);

/// Channels that cut() is unrolled for: those of T3.
inline constexpr int kCommonChannels = 9;

/// A patch is never stored: it is cut when its batch is made.
class PatchStore {
 public:
  /// `signs`: see mirror_signs().
  PatchStore(int patch_px, std::vector<float> signs);

  /// Features of `window` of scene `scene` (block plus halo); pixels outside are zero in a patch.
  void add(std::uint32_t block, const Window& window, FeatureWindow features);
  void normalise(const Normaliser& normaliser);
  bool has(std::uint32_t block) const;

  /// Writes [patch, patch, channel_stride]; channels beyond the features' are left untouched.
  /// Error when the sample's block was not added; so do place() and centre().
  void cut(const Sample& sample, Symmetry symmetry, float* out, int channel_stride) const;
  /// What cut() cuts, by its place in scene(); channels beyond the features' are 0 then.
  PatchPlace place(const Sample& sample, Symmetry symmetry) const;
  /// Valid until the store is changed.
  Scene scene() const;
  /// The features of a sample's own pixel.
  const float* centre(const Sample& sample) const;

  int patch_px() const { return patch_px_; }
  int channels() const { return static_cast<int>(signs_.size()); }
  std::int64_t bytes() const;

 private:
  struct Piece {
    Window window;
    FeatureWindow features;
    std::size_t first = 0;  // float in scene()
  };
  const Piece& piece(const Sample& sample) const;

  int patch_px_;
  std::vector<float> signs_;
  std::vector<float> ones_;
  std::vector<std::uint32_t> order_;  // blocks as they were added
  std::size_t floats_ = 0;
  std::vector<Piece> pieces_;  // by block; empty features where the unit does not need the block
};

/// The window that a block's samples need: itself, grown by `margin_px` and cut at the scene's
/// edge.
Window grown(const Window& window, int margin_px, int scene_rows, int scene_cols);

}  // namespace oida
