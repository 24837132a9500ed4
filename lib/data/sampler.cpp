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

void check(const Batch& batch, const PatchStore& store, std::size_t needed) {
  const bool fits = batch.rows == store.patch_px() && batch.cols == store.patch_px() &&
                    batch.channels == store.channels() && batch.labels.size() >= needed;
  if (!fits) {
    throw Error("batch", std::to_string(batch.labels.size()) + " samples of " +
                             std::to_string(batch.rows) + " x " + std::to_string(batch.cols) +
                             " px and " + std::to_string(batch.channels) + " channels for " +
                             std::to_string(needed) + " patches of " +
                             std::to_string(store.patch_px()) + " px and " +
                             std::to_string(store.channels()) + " channels");
  }
}

}  // namespace

Sampler::Sampler(std::vector<Sample> shard, int classes, SamplerOptions options)
    : shard_(std::move(shard)), options_(options) {
  check(options_, shard_.size());
  balanced_ = static_cast<int>(std::lround(options_.balanced_share * options_.batch));
  drawn_.reserve(static_cast<std::size_t>(options_.batch));
  streams_.resize(1 + static_cast<std::size_t>(classes));
  for (std::size_t i = 0; i < shard_.size(); ++i) {
    if (shard_[i].label >= classes) {
      throw Error("sampler", "label " + std::to_string(shard_[i].label) + " among " +
                                 std::to_string(classes) + " classes");
    }
    streams_[0].members.push_back(static_cast<std::uint32_t>(i));
    if (balanced_ > 0) {
      streams_[std::size_t{1} + shard_[i].label].members.push_back(static_cast<std::uint32_t>(i));
    }
  }
  std::erase_if(streams_, [](const Stream& stream) { return stream.members.empty(); });
  for (Stream& stream : streams_) stream.order.resize(stream.members.size());
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

void Sampler::fill(std::uint64_t step, const PatchStore& store, Batch& batch) {
  check(batch, store, static_cast<std::size_t>(options_.batch));
  draw_step(step);
  batch.n = options_.batch;
  batch.seed = options_.seed ^ static_cast<std::uint64_t>(options_.unit) << 32;
  batch.step = static_cast<std::uint32_t>(step);
  for (std::size_t slot = 0; slot < drawn_.size(); ++slot) {
    const Sample& sample = shard_[drawn_[slot]];
    batch.labels[slot] = sample.label;
    const Symmetry turned = symmetry(options_, step, slot);
    if (!batch.places.empty()) {
      batch.places[slot] = store.place(sample, turned);
      continue;
    }
    store.cut(sample, turned, batch.sample(static_cast<int>(slot)), batch.channel_stride);
  }
}

std::vector<Sample> Sampler::samples(std::uint64_t step) {
  draw_step(step);
  std::vector<Sample> samples;
  for (const std::uint32_t index : drawn_) samples.push_back(shard_[index]);
  return samples;
}

int fill_evaluation(std::span<const Sample> samples, std::size_t first, const PatchStore& store,
                    Batch& batch) {
  check(batch, store, 1);
  const std::size_t capacity = batch.labels.size();
  const std::size_t left = samples.size() - std::min(first, samples.size());
  const std::size_t n = std::min(capacity, left);
  std::fill(batch.labels.begin(), batch.labels.end(), -1);
  for (std::size_t i = 0; i < n; ++i) {
    batch.labels[i] = samples[first + i].label;
    store.cut(samples[first + i], {}, batch.sample(static_cast<int>(i)), batch.channel_stride);
  }
  batch.n = static_cast<int>(n);
  return batch.n;
}

}  // namespace oida
