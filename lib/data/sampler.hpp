#pragma once
// Which samples of its shard a unit trains on in which step: a pure function of (seed, unit, step),
// so that a resumed run goes on exactly where it stopped.

#include <cstdint>
#include <span>
#include <vector>

#include "data/batch.hpp"
#include "data/patch_store.hpp"
#include "data/split.hpp"
#include "data/tiles.hpp"
#include "polsar/matrix_jitter.hpp"

namespace oida {

struct SamplerOptions {
  int batch = 64;
  /// Share of each batch drawn with equal class frequency (classes of the shard in turn, each in
  /// its own permutation); the rest follows the shard's permutation. A tile has its turn with every
  /// class in it.
  double balanced_share = 0.0;
  Augmentation augmentation = Augmentation::none;
  std::uint64_t seed = 1;
  int unit = 0;
  /// Tiles are moved at random by up to so many pixels each way, within their blocks.
  int shift_px = 0;
};

/// The k-th draw of a stream over n items is item perm_e[k mod n], perm_e the permutation of epoch
/// e = k / n keyed by (seed, unit, stream, e). A used-up shard starts its next permutation.
class Sampler {
 public:
  /// `shard`: the unit's samples; kept. With `labels` they are tiles, and these their labels; kept
  /// by reference. Error when the shard is empty.
  Sampler(std::vector<Sample> shard, int classes, SamplerOptions options,
          const TileLabels* labels = nullptr);

  /// From now on batches are changed by it, which is kept by reference.
  void use(const MatrixJitter& jitter) { jitter_ = &jitter; }
  /// Whether batches hold other pixels than the store: these cannot be named by their place.
  bool changes_pixels() const { return jitter_ != nullptr; }

  /// Fills `batch` (n, labels, input or places, seed, step) with the samples of step `step`;
  /// allocates nothing. Error when the batch is too small or of another shape than the store's
  /// patches.
  void fill(std::uint64_t step, const PatchStore& store, Batch& batch);
  /// The samples of a step, for tests and for the record of a failed batch.
  std::vector<Sample> samples(std::uint64_t step);

  std::size_t shard_size() const { return shard_.size(); }

 private:
  struct Stream {
    std::vector<std::uint32_t> members;  // indices into shard_
    std::vector<std::uint32_t> order;
    std::uint64_t epoch = ~std::uint64_t{0};
  };
  void add_to_streams(std::uint32_t index);
  std::uint32_t draw(std::size_t stream, std::uint64_t k);
  void draw_step(std::uint64_t step);
  void jitter(std::uint64_t step, std::size_t slot, Batch& batch) const;
  /// What slot `slot` of the step shows of the shard's entry drawn for it.
  Sample placed(std::uint64_t step, std::size_t slot) const;

  std::vector<Sample> shard_;
  SamplerOptions options_;
  const TileLabels* labels_;
  const MatrixJitter* jitter_ = nullptr;
  int balanced_ = 0;                  // of each batch
  std::vector<Stream> streams_;       // 0: the whole shard, then one a class that it has
  std::vector<std::uint32_t> drawn_;  // indices into shard_ of the step drawn last
};

/// Fills `batch` with samples[first .. first + capacity), untransformed; returns how many, which is
/// also the batch's n. Labels beyond n are -1. With `labels` the samples are tiles.
int fill_evaluation(std::span<const Sample> samples, std::size_t first, const PatchStore& store,
                    Batch& batch, const TileLabels* labels = nullptr);

}  // namespace oida
