#include "data/patch_store.hpp"

#include <algorithm>
#include <cstddef>

#include "core/error.hpp"

namespace oida {
namespace {

/// A walk over the pixels of a patch: where its first pixel comes from, and the way to the next.
struct Walk {
  int row = 0, col = 0;  // in the piece
  int row_of_row = 1, col_of_row = 0;
  int row_of_col = 0, col_of_col = 1;
};

Walk walk(int top, int left, int patch_px, Symmetry symmetry) {
  const bool mirror_cols = (symmetry.bits & 1) != 0;
  const bool mirror_rows = (symmetry.bits & 2) != 0;
  const int row_step = mirror_rows ? -1 : 1;
  const int col_step = mirror_cols ? -1 : 1;
  const int first = mirror_rows ? patch_px - 1 : 0;
  const int second = mirror_cols ? patch_px - 1 : 0;
  if ((symmetry.bits & 4) != 0) return {top + second, left + first, 0, row_step, col_step, 0};
  return {top + first, left + second, row_step, 0, 0, col_step};
}

/// kChannels = 0: `channels` is only known at run time.
template <int kChannels>
void copy_pixel(const float* in, const float* signs, int channels, float* out) {
  const int n = kChannels == 0 ? channels : kChannels;
  for (int c = 0; c < n; ++c) out[c] = in[c] * signs[c];
}

template <int kChannels>
void cut_inside(const FeatureWindow& features, const Walk& walk, const float* signs, int patch_px,
                float* out, int channel_stride) {
  const int channels = features.channels;
  const std::ptrdiff_t per_row =
      (std::ptrdiff_t{walk.row_of_row} * features.cols + walk.col_of_row) * channels;
  const std::ptrdiff_t per_col =
      (std::ptrdiff_t{walk.row_of_col} * features.cols + walk.col_of_col) * channels;
  const float* line = features.pixel(walk.row, walk.col);
  for (int row = 0; row < patch_px; ++row, line += per_row) {
    const float* in = line;
    for (int col = 0; col < patch_px; ++col, in += per_col, out += channel_stride) {
      copy_pixel<kChannels>(in, signs, channels, out);
    }
  }
}

void cut_across_edge(const FeatureWindow& features, const Walk& walk, const float* signs,
                     int patch_px, float* out, int channel_stride) {
  for (int row = 0; row < patch_px; ++row) {
    for (int col = 0; col < patch_px; ++col, out += channel_stride) {
      const int in_row = walk.row + row * walk.row_of_row + col * walk.row_of_col;
      const int in_col = walk.col + row * walk.col_of_row + col * walk.col_of_col;
      const bool inside =
          in_row >= 0 && in_row < features.rows && in_col >= 0 && in_col < features.cols;
      if (inside) {
        copy_pixel<0>(features.pixel(in_row, in_col), signs, features.channels, out);
      } else {
        std::fill_n(out, features.channels, 0.0F);
      }
    }
  }
}

}  // namespace

Augmentation augmentation(const std::string& name) {
  if (name == "none") return Augmentation::none;
  if (name == "mirror") return Augmentation::mirror;
  if (name == "dihedral") return Augmentation::dihedral;
  throw InputError("data.augmentation",
                   "'" + name + "' is unknown; allowed: none, mirror, dihedral");
}

Window grown(const Window& window, int margin_px, int scene_rows, int scene_cols) {
  const int top = std::max(0, window.row - margin_px);
  const int left = std::max(0, window.col - margin_px);
  const int bottom = std::min(scene_rows, window.row + window.rows + margin_px);
  const int right = std::min(scene_cols, window.col + window.cols + margin_px);
  return {top, left, bottom - top, right - left};
}

PatchStore::PatchStore(int patch_px, std::vector<float> signs)
    : patch_px_(patch_px), signs_(std::move(signs)), ones_(signs_.size(), 1.0F) {
  if (patch_px_ < 1 || signs_.empty()) {
    throw Error("patch store", std::to_string(signs_.size()) + " channels in patches of " +
                                   std::to_string(patch_px_) + " px");
  }
}

void PatchStore::add(std::uint32_t block, const Window& window, FeatureWindow features) {
  const bool fits = features.rows == window.rows && features.cols == window.cols &&
                    features.channels == channels() && !features.values.empty();
  if (!fits) {
    throw Error("patch store",
                "the features of block " + std::to_string(block) + " do not fit its window");
  }
  if (block >= pieces_.size()) pieces_.resize(std::size_t{block} + 1);
  pieces_[block] = {window, std::move(features)};
}

void PatchStore::normalise(const Normaliser& normaliser) {
  for (Piece& piece : pieces_) {
    if (!piece.features.values.empty()) normaliser.apply(piece.features);
  }
}

bool PatchStore::has(std::uint32_t block) const {
  return block < pieces_.size() && !pieces_[block].features.values.empty();
}

const PatchStore::Piece& PatchStore::piece(const Sample& sample) const {
  if (!has(sample.block)) {
    throw Error("patch store", "block " + std::to_string(sample.block) + " was not read");
  }
  return pieces_[sample.block];
}

void PatchStore::cut(const Sample& sample, Symmetry symmetry, float* out,
                     int channel_stride) const {
  const auto& [window, features] = piece(sample);
  const int top = sample.row - patch_px_ / 2 - window.row;
  const int left = sample.col - patch_px_ / 2 - window.col;
  const bool inside = top >= 0 && left >= 0 && top + patch_px_ <= features.rows &&
                      left + patch_px_ <= features.cols;
  const Walk way = walk(top, left, patch_px_, symmetry);
  const float* signs = (symmetry.reflects() ? signs_ : ones_).data();
  if (!inside) {
    cut_across_edge(features, way, signs, patch_px_, out, channel_stride);
  } else if (features.channels == kCommonChannels) {
    cut_inside<kCommonChannels>(features, way, signs, patch_px_, out, channel_stride);
  } else {
    cut_inside<0>(features, way, signs, patch_px_, out, channel_stride);
  }
}

const float* PatchStore::centre(const Sample& sample) const {
  const auto& [window, features] = piece(sample);
  return features.pixel(sample.row - window.row, sample.col - window.col);
}

std::int64_t PatchStore::bytes() const {
  std::size_t bytes = pieces_.capacity() * sizeof(Piece);
  for (const Piece& piece : pieces_) {
    bytes += piece.features.values.capacity() * sizeof(float) + piece.features.valid.capacity();
  }
  return static_cast<std::int64_t>(bytes);
}

}  // namespace oida
