#include "data/patch_store.hpp"

#include <algorithm>
#include <cstddef>

#include "core/error.hpp"
#include "data/landing.hpp"

namespace oida {
namespace {

/// kChannels = 0: `channels` is only known at run time.
template <int kChannels>
void copy_pixel(const float* __restrict in, const float* __restrict signs, int channels,
                float* __restrict out) {
  const int n = kChannels == 0 ? channels : kChannels;
  for (int c = 0; c < n; ++c) out[c] = in[c] * signs[c];
}

/// Reads line by line, whatever the symmetry: the scene is far larger than any cache.
template <int kChannels>
void cut_inside(const FeatureWindow& features, int top, int left, int patch_px, const float* signs,
                const Landing& landing, float* out, int channel_stride) {
  for (int row = 0; row < patch_px; ++row) {
    const float* in = features.pixel(top + row, left);
    float* to = out + (landing.first + row * landing.per_row) * channel_stride;
    for (int col = 0; col < patch_px; ++col) {
      copy_pixel<kChannels>(in, signs, features.channels, to);
      in += features.channels;
      to += landing.per_col * channel_stride;
    }
  }
}

void cut_across_edge(const FeatureWindow& features, int top, int left, int patch_px,
                     const float* signs, const Landing& landing, float* out, int channel_stride) {
  for (int row = 0; row < patch_px; ++row) {
    for (int col = 0; col < patch_px; ++col) {
      float* to =
          out + (landing.first + row * landing.per_row + col * landing.per_col) * channel_stride;
      const bool inside = top + row >= 0 && top + row < features.rows && left + col >= 0 &&
                          left + col < features.cols;
      if (inside) {
        copy_pixel<0>(features.pixel(top + row, left + col), signs, features.channels, to);
      } else {
        std::fill_n(to, features.channels, 0.0F);
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
  if (has(block)) throw Error("patch store", "block " + std::to_string(block) + " came twice");
  if (block >= pieces_.size()) pieces_.resize(std::size_t{block} + 1);
  const std::size_t floats = features.values.size();
  pieces_[block] = {window, std::move(features), floats_};
  order_.push_back(block);
  floats_ += floats;
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
  const auto& [window, features, first] = piece(sample);
  const int top = sample.row - patch_px_ / 2 - window.row;
  const int left = sample.col - patch_px_ / 2 - window.col;
  const bool inside = top >= 0 && left >= 0 && top + patch_px_ <= features.rows &&
                      left + patch_px_ <= features.cols;
  const auto cut_patch = !inside                                ? &cut_across_edge
                         : features.channels == kCommonChannels ? &cut_inside<kCommonChannels>
                                                                : &cut_inside<0>;
  cut_patch(features, top, left, patch_px_, (symmetry.reflects() ? signs_ : ones_).data(),
            landing(symmetry, patch_px_), out, channel_stride);
}

PatchPlace PatchStore::place(const Sample& sample, Symmetry symmetry) const {
  const Piece& from = piece(sample);
  return {from.first,
          from.features.rows,
          from.features.cols,
          sample.row - patch_px_ / 2 - from.window.row,
          sample.col - patch_px_ / 2 - from.window.col,
          symmetry.bits};
}

Scene PatchStore::scene() const {
  Scene scene;
  scene.signs = signs_;
  for (const std::uint32_t block : order_) scene.windows.push_back(pieces_[block].features.values);
  return scene;
}

const float* PatchStore::centre(const Sample& sample) const {
  const auto& [window, features, first] = piece(sample);
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
