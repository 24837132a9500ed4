#pragma once
// Steps of a chain on a card, and training whose parameters and optimizer state stay on it.

#include <algorithm>
#include <map>
#include <numeric>

#include "core/rng.hpp"
#include "engine/checks.hpp"
#include "engine/cuda/chain.hpp"
#include "engine/cuda/update.hpp"
#include "engine/device_sum.hpp"

namespace oida::cuda {

/// Of the samples of a step, in pinned memory.
struct PinnedResult {
  float* losses = nullptr;
  std::int32_t* correct = nullptr;
};

template <typename Card>
PinnedResult pinned_result(Card& card, std::size_t tallies) {
  return {card.template pinned<float>(tallies), card.template pinned<std::int32_t>(tallies)};
}

inline StepResult sum_of(const PinnedResult& result, std::size_t tallies) {
  return {std::accumulate(result.losses, result.losses + tallies, 0.0),
          std::accumulate(result.correct, result.correct + tallies, 0)};
}

template <typename Card, typename T>
void fetch_result(Card& card, Chain<Card, T>& chain, std::size_t tallies,
                  const PinnedResult& into) {
  card.fetch(into.losses, chain.losses(), tallies * sizeof(float));
  card.fetch(into.correct, chain.correct(), tallies * sizeof(std::int32_t));
}

struct Update {
  float rate = 0.0F;
  bool window_ends = false;
};

/// By what the batch's losses are divided: see StepResult.
inline float loss_total(const Batch& batch) {
  if (batch.sample_labels == 1) return static_cast<float>(batch.n);
  const auto used =
      std::span(batch.labels).first(static_cast<std::size_t>(batch.n) * batch.sample_labels);
  const auto labelled = std::ranges::count_if(used, [](int label) { return label >= 0; });
  return static_cast<float>(std::max<std::ptrdiff_t>(1, labelled));
}

/// All of the batch but its patches.
template <typename Card, typename T>
void upload_words(Card& card, Chain<Card, T>& chain, const Batch& batch, const Update& update) {
  StepWords words{};
  words.key[0] = static_cast<std::uint32_t>(batch.seed);
  words.key[1] = static_cast<std::uint32_t>(batch.seed >> 32) ^
                 static_cast<std::uint32_t>(Purpose::dropout) << 16;
  words.step = batch.step;
  words.n = batch.n;
  words.rate = update.rate;
  words.window_ends = update.window_ends ? 1 : 0;
  words.total = loss_total(batch);
  card.upload(chain.words(), &words, sizeof words);
  card.upload(chain.labels(), batch.labels.data(),
              static_cast<std::size_t>(batch.n) * batch.sample_labels * sizeof(std::int32_t));
}

/// Polls at least once.
template <typename Card>
void wait_for(Card& card, int mark, const Poll& poll, std::size_t ready_from) {
  do {
    if (poll) poll(ready_from);
  } while (!card.reached(mark));
}

/// One recording: forward, loss, backward and the optimizer's pass.
template <typename Card, typename T>
class CardTraining final : public ResidentTraining, public DeviceSum {
 public:
  CardTraining(const Engine& engine, Card& card, Chain<Card, T>& chain,
               const OptimizerOptions& optimizer, const Scene& scene);

  void put(std::span<const float> parameters, Optimizer& optimizer) override;
  bool holds_scene() const override { return pixels_ != nullptr; }
  StepResult step(const Batch& batch, float rate, std::uint64_t step, const Poll& poll,
                  const Ahead& ahead) override;
  void get(std::span<float> parameters, Optimizer& optimizer) override;
  void send(float weight) override;
  bool sent(std::span<float> out) override;
  void merge(std::span<const float> mean) override;

  std::string way() const override { return messages_ ? "cuda-aware mpi" : card_.sum_way(); }
  std::string invitation() override { return card_.sum_invitation(); }
  void join(const std::string& invitation, int rank, int size) override {
    card_.sum_join(invitation, rank, size);
  }
  void join(std::unique_ptr<DeviceMessages> messages) override { messages_ = std::move(messages); }
  void sum(std::span<float> values) override;
  void send_sum(float weight, std::span<const float> words) override;
  bool summed(std::span<float> out) override;
  void merge_sum() override { card_.run(static_cast<Index>(size()), Merge{x_, wire_, sent_}); }

 private:
  static constexpr int kMark = 0;

  void hold(const Scene& scene);
  void record();
  void update(const FlatRange& range);
  void load(const Batch& batch);
  void bring_batch(const Batch& batch);
  void bring(std::span<float> to, const float* from);
  void start_sum(std::size_t count);
  /// Behind those of CardEngine.
  int sent_mark() const { return static_cast<int>(chain_.layers()) + 1; }
  std::size_t size() const { return chain_.layout().size(); }
  std::size_t slots() const { return options_.kind == OptimizerOptions::Kind::sgd ? 1 : 2; }

  const Engine& engine_;
  Card& card_;
  Chain<Card, T>& chain_;
  OptimizerOptions options_;
  std::vector<FlatRange> learned_, moments_;
  float* x_ = nullptr;
  float* slots_[2] = {nullptr, nullptr};
  float* sent_ = nullptr;
  float* wire_ = nullptr;  // w s on its way home, later the mean
  float* home_ = nullptr;  // pinned, as is the next
  float* travelled_ = nullptr;
  std::unique_ptr<DeviceMessages> messages_;
  /// Of a sum by messages: what is awaited, and how much it is.
  enum class Awaited { computing, messages, home } awaited_ = Awaited::home;
  std::size_t awaited_floats_ = 0;
  PinnedResult result_;
  int recording_ = -1;

  float* pixels_ = nullptr;  // of a scene that is held
  float* signs_ = nullptr;
  PatchPlace* places_ = nullptr;
  /// Else batches travel, one while another is computed on.
  float* travelling_[2] = {nullptr, nullptr};
  std::map<const float*, std::shared_ptr<void>> pins_;  // by the batch's input
  std::size_t next_ = 0;
  const Batch* brought_ = nullptr;  // and stands in travelling_[next_]
};

template <typename Card, typename T>
CardTraining<Card, T>::CardTraining(const Engine& engine, Card& card, Chain<Card, T>& chain,
                                    const OptimizerOptions& optimizer, const Scene& scene)
    : engine_(engine), card_(card), chain_(chain), options_(optimizer), moments_(engine.moments()) {
  FlatRange learned;
  for (const FlatRange& range : moments_) {
    learned_.push_back({learned.first, range.first - learned.first});
    learned.first = range.first + range.size;
  }
  learned_.push_back({learned.first, size() - learned.first});
  x_ = card.template allocate<float>(size(), "parameters that stay");
  for (std::size_t i = 0; i < slots(); ++i) {
    slots_[i] = card.template allocate<float>(size(), "optimizer");
  }
  sent_ = card.template allocate<float>(size(), "exchange");
  wire_ = card.template allocate<float>(size() + kRidingWords, "exchange");
  home_ = card.template pinned<float>(size());
  travelled_ = card.template pinned<float>(size() + kRidingWords);
  result_ =
      pinned_result(card, chain.tallies(static_cast<std::size_t>(engine.options().max_batch)));
  hold(scene);
  recording_ = card.record([this] { record(); });
}

template <typename Card, typename T>
void CardTraining<Card, T>::hold(const Scene& scene) {
  const auto n = static_cast<std::size_t>(engine_.options().max_batch);
  const std::size_t floats = scene.floats();
  if (floats == 0 || !engine_.has_room_for_scene(floats * sizeof(float))) {
    for (float*& batch : travelling_) {
      batch = card_.template allocate<float>(n * chain_.image().size(), "batch");
    }
    return;
  }
  pixels_ = card_.template allocate<float>(floats, "scene windows");
  signs_ = card_.template allocate<float>(scene.signs.size(), "batch");
  places_ = card_.template allocate<PatchPlace>(n, "batch");
  card_.upload(signs_, scene.signs.data(), scene.signs.size_bytes());
  float* to = pixels_;
  for (const auto& window : scene.windows) {
    card_.upload(to, window.data(), window.size_bytes());
    to += window.size();
  }
}

template <typename Card, typename T>
void CardTraining<Card, T>::update(const FlatRange& range) {
  const auto count = static_cast<Index>(range.size);
  float* x = x_ + range.first;
  const float* gradient = chain_.gradient() + range.first;
  if (options_.kind == OptimizerOptions::Kind::sgd) {
    card_.run(count, Sgd{x, gradient, slots_[0] + range.first, chain_.words(), options_.momentum,
                         options_.weight_decay});
  } else {
    card_.run(count, AdagradWindow{x, gradient, slots_[0] + range.first, slots_[1] + range.first,
                                   chain_.words(), options_.weight_decay, options_.epsilon});
  }
}

template <typename Card, typename T>
void CardTraining<Card, T>::record() {
  card_.run(static_cast<Index>(size()), Convert<float, float>{x_, chain_.parameters()});
  chain_.forward(true);
  chain_.loss();
  for (std::size_t layer = chain_.layers(); layer-- > 0;) chain_.backward(layer);
  for (const FlatRange& range : learned_) update(range);
  for (const FlatRange& range : moments_) {
    card_.run(static_cast<Index>(range.size),
              MoveMoments{x_ + range.first, chain_.gradient() + range.first});
  }
}

template <typename Card, typename T>
void CardTraining<Card, T>::put(std::span<const float> parameters, Optimizer& optimizer) {
  check_size("parameter array", parameters.size(), size());
  card_.upload(x_, parameters.data(), parameters.size_bytes());
  for (std::size_t i = 0; i < slots(); ++i) {
    card_.upload(slots_[i], optimizer.slot(i).data(), optimizer.slot(i).size_bytes());
  }
}

template <typename Card, typename T>
void CardTraining<Card, T>::bring_batch(const Batch& batch) {
  const float* from = batch.input.data();
  auto& pin = pins_[from];
  if (pin == nullptr) pin = card_.pin(from, batch.input.size() * sizeof(float));
  card_.travel(travelling_[next_], from,
               static_cast<std::size_t>(batch.n) * batch.sample_floats() * sizeof(float));
  brought_ = &batch;
}

template <typename Card, typename T>
void CardTraining<Card, T>::load(const Batch& batch) {
  if (holds_scene()) {
    card_.upload(places_, batch.places.data(),
                 static_cast<std::size_t>(batch.n) * sizeof(PatchPlace));
    chain_.cut(pixels_, places_, signs_);
    return;
  }
  if (brought_ != &batch) bring_batch(batch);
  card_.join();
  chain_.load(travelling_[next_]);
  next_ = 1 - next_;
  brought_ = nullptr;
}

template <typename Card, typename T>
StepResult CardTraining<Card, T>::step(const Batch& batch, float rate, std::uint64_t step,
                                       const Poll& poll, const Ahead& ahead) {
  check_batch(engine_, batch, holds_scene());
  const std::size_t tallies = chain_.tallies(static_cast<std::size_t>(batch.n));
  const bool ends = (step + 1) % static_cast<std::uint64_t>(options_.window) == 0;
  upload_words(card_, chain_, batch, {rate, ends});
  load(batch);
  card_.play(recording_);
  const Batch* next = ahead ? ahead() : nullptr;
  if (next != nullptr && !holds_scene()) bring_batch(*next);
  fetch_result(card_, chain_, tallies, result_);
  card_.mark_fetched(kMark);
  wait_for(card_, kMark, poll, engine_.flat_size());
  return sum_of(result_, tallies);
}

template <typename Card, typename T>
void CardTraining<Card, T>::bring(std::span<float> to, const float* from) {
  card_.fetch(home_, from, to.size_bytes());
  card_.mark_fetched(kMark);
  wait_for(card_, kMark, {}, 0);
  std::copy_n(home_, to.size(), to.data());
}

template <typename Card, typename T>
void CardTraining<Card, T>::get(std::span<float> parameters, Optimizer& optimizer) {
  check_size("parameter array", parameters.size(), size());
  bring(parameters, x_);
  for (std::size_t i = 0; i < slots(); ++i) bring(optimizer.slot(i), slots_[i]);
}

template <typename Card, typename T>
void CardTraining<Card, T>::send(float weight) {
  card_.run(static_cast<Index>(size()), Send{x_, weight, sent_, wire_});
  card_.fetch(travelled_, wire_, size() * sizeof(float));
  card_.mark_fetched(sent_mark());
}

template <typename Card, typename T>
bool CardTraining<Card, T>::sent(std::span<float> out) {
  if (out.size() > size() + kRidingWords) check_size("array that travels", out.size(), size());
  if (!card_.reached(sent_mark())) return false;
  std::copy_n(travelled_, out.size(), out.data());
  return true;
}

template <typename Card, typename T>
void CardTraining<Card, T>::merge(std::span<const float> mean) {
  check_size("mean", mean.size(), size());
  card_.upload(wire_, mean.data(), mean.size_bytes());
  merge_sum();
}

template <typename Card, typename T>
void CardTraining<Card, T>::sum(std::span<float> values) {
  card_.upload(wire_, values.data(), values.size_bytes());
  start_sum(values.size());
  while (!summed(values)) continue;
}

/// MPI knows no streams, so it is given the floats once they are computed, and they go home when it
/// has summed them.
template <typename Card, typename T>
void CardTraining<Card, T>::start_sum(std::size_t count) {
  if (messages_ == nullptr) return card_.sum_all(wire_, count, travelled_, sent_mark());
  awaited_ = Awaited::computing;
  awaited_floats_ = count;
  card_.fetch(travelled_, wire_, 0);
  card_.mark_fetched(sent_mark());
}

template <typename Card, typename T>
bool CardTraining<Card, T>::summed(std::span<float> out) {
  if (awaited_ == Awaited::computing) {
    if (!card_.reached(sent_mark())) return false;
    messages_->start(wire_, awaited_floats_);
    awaited_ = Awaited::messages;
  }
  if (awaited_ == Awaited::messages) {
    if (!messages_->come()) return false;
    card_.fetch(travelled_, wire_, awaited_floats_ * sizeof(float));
    card_.mark_fetched(sent_mark());
    awaited_ = Awaited::home;
  }
  return sent(out);
}

template <typename Card, typename T>
void CardTraining<Card, T>::send_sum(float weight, std::span<const float> words) {
  card_.run(static_cast<Index>(size()), Send{x_, weight, sent_, wire_});
  card_.upload(wire_ + size(), words.data(), words.size_bytes());
  start_sum(size() + words.size());
}

}  // namespace oida::cuda
