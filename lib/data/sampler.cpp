#include "data/sampler.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/rng.hpp"

namespace oida {
namespace {

Symmetry symmetry(const SamplerOptions& options, std::uint64_t step, std::size_t slot) {
  if (options.augmentation == Augmentation::none) return {};
  const auto unit = static_cast<std::uint64_t>(options.unit) << 32;
  Random random(options.seed, Purpose::augment, unit | slot, static_cast<std::uint32_t>(step));
  if (options.augmentation == Augmentation::dihedral) {
    return {static_cast<std::uint8_t>(random.below(8))};
  }
  constexpr std::uint32_t kMirrorRows = 2;
  return {static_cast<std::uint8_t>(random.below(2) * kMirrorRows)};
}

void check(const SamplerOptions& options, std::size_t shard) {
  if (shard == 0)
    throw Error("sampler", "the shard of unit " + std::to_string(options.unit) + " is empty");
  const bool share_fits = options.balanced_share >= 0.0 && options.balanced_share <= 1.0;
  if (options.batch < 1 || !share_fits) {
    throw Error("sampler", "a batch of " + std::to_string(options.batch) + " with a share of " +
                               std::to_string(options.balanced_share) +
                               "; allowed: 1 or more, and 0 to 1");
  }
}

std::size_t labels_a_sample(const TileLabels* labels) {
  if (labels == nullptr) return 1;
  return static_cast<std::size_t>(labels->tile_px()) * static_cast<std::size_t>(labels->tile_px());
}

void check(const Batch& batch, const PatchStore& store, const TileLabels* labels,
           std::size_t needed) {
  const std::size_t each = labels_a_sample(labels);
  const bool fits = batch.rows == store.patch_px() && batch.cols == store.patch_px() &&
                    batch.channels == store.channels() && batch.sample_labels == each &&
                    batch.labels.size() >= needed * each &&
                    (labels == nullptr || labels->tile_px() == store.patch_px());
  if (!fits) {
    throw Error("batch", std::to_string(batch.labels.size()) + " labels of " +
                             std::to_string(batch.rows) + " x " + std::to_string(batch.cols) +
                             " px and " + std::to_string(batch.channels) + " channels for " +
                             std::to_string(needed) + " times " + std::to_string(each) +
                             " labels of " + std::to_string(store.patch_px()) + " px and " +
                             std::to_string(store.channels()) + " channels");
  }
}

void put_labels(const Sample& sample, Symmetry symmetry, const TileLabels* labels, Batch& batch,
                std::size_t slot) {
  if (labels == nullptr) {
    batch.labels[slot] = sample.label;
  } else {
    labels->cut(sample, symmetry, batch.sample_label(static_cast<int>(slot)));
  }
}

}  // namespace

Sampler::Sampler(std::vector<Sample> shard, int classes, SamplerOptions options,
                 const TileLabels* labels)
    : shard_(std::move(shard)), options_(options), labels_(labels) {
  check(options_, shard_.size());
  balanced_ = static_cast<int>(std::lround(options_.balanced_share * options_.batch));
  drawn_.reserve(static_cast<std::size_t>(options_.batch));
  streams_.resize(1 + static_cast<std::size_t>(classes));
  for (std::size_t i = 0; i < shard_.size(); ++i) {
    if (shard_[i].label >= classes) {
      throw Error("sampler", "label " + std::to_string(shard_[i].label) + " among " +
                                 std::to_string(classes) + " classes");
    }
    add_to_streams(static_cast<std::uint32_t>(i));
  }
  std::erase_if(streams_, [](const Stream& stream) { return stream.members.empty(); });
  for (Stream& stream : streams_) stream.order.resize(stream.members.size());
}

void Sampler::add_to_streams(std::uint32_t index) {
  streams_[0].members.push_back(index);
  if (balanced_ == 0) return;
  const Sample& sample = shard_[index];
  const auto classes =
      labels_ == nullptr ? std::vector<std::uint8_t>{sample.label} : labels_->classes_in(sample);
  for (const std::uint8_t label : classes) {
    streams_[std::size_t{1} + label].members.push_back(index);
  }
}

std::uint32_t Sampler::draw(std::size_t stream, std::uint64_t k) {
  Stream& from = streams_[stream];
  const std::uint64_t n = from.members.size();
  if (from.epoch != k / n) {
    from.epoch = k / n;
    const auto name = static_cast<std::uint64_t>(options_.unit) << 32 | stream;
    permute(from.order,
            Random(options_.seed, Purpose::sampler, name, static_cast<std::uint32_t>(from.epoch)));
  }
  return from.members[from.order[k % n]];
}

void Sampler::draw_step(std::uint64_t step) {
  const auto balanced = static_cast<std::uint64_t>(balanced_);
  const auto plain = static_cast<std::uint64_t>(options_.batch) - balanced;
  drawn_.clear();
  for (std::uint64_t i = 0; i < plain; ++i) drawn_.push_back(draw(0, step * plain + i));
  const std::uint64_t classes = streams_.size() - 1;
  for (std::uint64_t i = 0; i < balanced; ++i) {
    const std::uint64_t turn = step * balanced + i;
    drawn_.push_back(draw(1 + turn % classes, turn / classes));
  }
}

Sample Sampler::placed(std::uint64_t step, std::size_t slot) const {
  const Sample& sample = shard_[drawn_[slot]];
  if (labels_ == nullptr || options_.shift_px == 0) return sample;
  const auto unit = static_cast<std::uint64_t>(options_.unit) << 32;
  Random random(options_.seed, Purpose::shift, unit | slot, static_cast<std::uint32_t>(step));
  const auto far = static_cast<std::uint32_t>(options_.shift_px);
  const int down = static_cast<int>(random.below(2 * far + 1)) - options_.shift_px;
  const int right = static_cast<int>(random.below(2 * far + 1)) - options_.shift_px;
  return labels_->moved(sample, down, right);
}

void Sampler::jitter(std::uint64_t step, std::size_t slot, Batch& batch) const {
  const auto unit = static_cast<std::uint64_t>(options_.unit) << 32;
  const Random random(options_.seed, Purpose::jitter, unit | slot,
                      static_cast<std::uint32_t>(step));
  const auto pixels = static_cast<std::size_t>(batch.rows) * static_cast<std::size_t>(batch.cols);
  jitter_->apply(batch.sample(static_cast<int>(slot)), pixels,
                 static_cast<std::size_t>(batch.channel_stride), random);
}

void Sampler::fill(std::uint64_t step, const PatchStore& store, Batch& batch) {
  check(batch, store, labels_, static_cast<std::size_t>(options_.batch));
  draw_step(step);
  batch.n = options_.batch;
  batch.seed = options_.seed ^ static_cast<std::uint64_t>(options_.unit) << 32;
  batch.step = static_cast<std::uint32_t>(step);
  for (std::size_t slot = 0; slot < drawn_.size(); ++slot) {
    const Sample at = placed(step, slot);
    const Symmetry turned = symmetry(options_, step, slot);
    put_labels(at, turned, labels_, batch, slot);
    if (!batch.places.empty()) {
      batch.places[slot] = store.place(at, turned);
      continue;
    }
    store.cut(at, turned, batch.sample(static_cast<int>(slot)), batch.channel_stride);
    if (jitter_ != nullptr) jitter(step, slot, batch);
  }
}

std::vector<Sample> Sampler::samples(std::uint64_t step) {
  draw_step(step);
  std::vector<Sample> samples;
  for (std::size_t slot = 0; slot < drawn_.size(); ++slot) samples.push_back(placed(step, slot));
  return samples;
}

int fill_evaluation(std::span<const Sample> samples, std::size_t first, const PatchStore& store,
                    Batch& batch, const TileLabels* labels) {
  check(batch, store, labels, 1);
  const std::size_t capacity = batch.labels.size() / batch.sample_labels;
  const std::size_t left = samples.size() - std::min(first, samples.size());
  const std::size_t n = std::min(capacity, left);
  std::fill(batch.labels.begin(), batch.labels.end(), -1);
  for (std::size_t i = 0; i < n; ++i) {
    const Sample& sample = samples[first + i];
    put_labels(sample, {}, labels, batch, i);
    store.cut(sample, {}, batch.sample(static_cast<int>(i)), batch.channel_stride);
  }
  batch.n = static_cast<int>(n);
  return batch.n;
}

}  // namespace oida
