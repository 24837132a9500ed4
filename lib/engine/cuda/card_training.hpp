#pragma once
// Steps of a chain on a card, and training whose parameters and optimizer state stay on it.

#include <numeric>

#include "core/rng.hpp"
#include "engine/checks.hpp"
#include "engine/cuda/chain.hpp"
#include "engine/cuda/update.hpp"

namespace oida::cuda {

/// Of the samples of a step, in pinned memory.
struct PinnedResult {
  float* losses = nullptr;
  std::int32_t* correct = nullptr;
};

template <typename Card>
PinnedResult pinned_result(Card& card, std::size_t samples) {
  return {card.template pinned<float>(samples), card.template pinned<std::int32_t>(samples)};
}

inline StepResult sum_of(const PinnedResult& result, std::size_t n) {
  return {std::accumulate(result.losses, result.losses + n, 0.0),
          std::accumulate(result.correct, result.correct + n, 0)};
}

template <typename Card, typename T>
void fetch_result(Card& card, Chain<Card, T>& chain, std::size_t n, const PinnedResult& into) {
  card.fetch(into.losses, chain.losses(), n * sizeof(float));
  card.fetch(into.correct, chain.correct(), n * sizeof(std::int32_t));
}

struct Update {
  float rate = 0.0F;
  bool window_ends = false;
};

template <typename Card, typename T>
void upload_batch(Card& card, Chain<Card, T>& chain, const Batch& batch, const Update& update) {
  const auto n = static_cast<std::size_t>(batch.n);
  StepWords words{};
  words.key[0] = static_cast<std::uint32_t>(batch.seed);
  words.key[1] = static_cast<std::uint32_t>(batch.seed >> 32) ^
                 static_cast<std::uint32_t>(Purpose::dropout) << 16;
  words.step = batch.step;
  words.n = batch.n;
  words.rate = update.rate;
  words.window_ends = update.window_ends ? 1 : 0;
  card.upload(chain.words(), &words, sizeof words);
  card.upload(chain.labels(), batch.labels.data(), n * sizeof(std::int32_t));
  card.upload(chain.input(), batch.input.data(), n * batch.sample_floats() * sizeof(float));
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
class CardTraining final : public ResidentTraining {
 public:
  CardTraining(const Engine& engine, Card& card, Chain<Card, T>& chain,
               const OptimizerOptions& optimizer);

  void put(std::span<const float> parameters, Optimizer& optimizer) override;
  StepResult step(const Batch& batch, float rate, std::uint64_t step, const Poll& poll) override;
  void get(std::span<float> parameters, Optimizer& optimizer) override;

 private:
  static constexpr int kMark = 0;

  void record();
  void bring(std::span<float> to, const float* from);
  std::size_t slots() const { return options_.kind == OptimizerOptions::Kind::sgd ? 1 : 2; }

  const Engine& engine_;
  Card& card_;
  Chain<Card, T>& chain_;
  OptimizerOptions options_;
  float* x_ = nullptr;
  float* slots_[2] = {nullptr, nullptr};
  float* home_ = nullptr;  // pinned
  PinnedResult result_;
  int recording_ = -1;
};

template <typename Card, typename T>
CardTraining<Card, T>::CardTraining(const Engine& engine, Card& card, Chain<Card, T>& chain,
                                    const OptimizerOptions& optimizer)
    : engine_(engine), card_(card), chain_(chain), options_(optimizer) {
  const std::size_t size = chain.layout().size();
  x_ = card.template allocate<float>(size, "parameters that stay");
  for (std::size_t i = 0; i < slots(); ++i) {
    slots_[i] = card.template allocate<float>(size, "optimizer");
  }
  home_ = card.template pinned<float>(size);
  result_ = pinned_result(card, static_cast<std::size_t>(engine.options().max_batch));
  recording_ = card.record([this] { record(); });
}

template <typename Card, typename T>
void CardTraining<Card, T>::record() {
  const auto size = static_cast<Index>(chain_.layout().size());
  card_.run(size, Convert<float, float>{x_, chain_.parameters()});
  chain_.forward(true);
  chain_.loss();
  for (std::size_t layer = chain_.layers(); layer-- > 0;) chain_.backward(layer);
  if (options_.kind == OptimizerOptions::Kind::sgd) {
    card_.run(size, Sgd{x_, chain_.gradient(), slots_[0], chain_.words(), options_.momentum,
                        options_.weight_decay});
  } else {
    card_.run(size, AdagradWindow{x_, chain_.gradient(), slots_[0], slots_[1], chain_.words(),
                                  options_.weight_decay, options_.epsilon});
  }
}

template <typename Card, typename T>
void CardTraining<Card, T>::put(std::span<const float> parameters, Optimizer& optimizer) {
  check_size("parameter array", parameters.size(), chain_.layout().size());
  card_.upload(x_, parameters.data(), parameters.size_bytes());
  for (std::size_t i = 0; i < slots(); ++i) {
    card_.upload(slots_[i], optimizer.slot(i).data(), optimizer.slot(i).size_bytes());
  }
}

template <typename Card, typename T>
StepResult CardTraining<Card, T>::step(const Batch& batch, float rate, std::uint64_t step,
                                       const Poll& poll) {
  check_batch(engine_, batch);
  const auto n = static_cast<std::size_t>(batch.n);
  const bool ends = (step + 1) % static_cast<std::uint64_t>(options_.window) == 0;
  upload_batch(card_, chain_, batch, {rate, ends});
  card_.play(recording_);
  fetch_result(card_, chain_, n, result_);
  card_.mark_fetched(kMark);
  wait_for(card_, kMark, poll, engine_.flat_size());
  return sum_of(result_, n);
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
  check_size("parameter array", parameters.size(), chain_.layout().size());
  bring(parameters, x_);
  for (std::size_t i = 0; i < slots(); ++i) bring(optimizer.slot(i), slots_[i]);
}

}  // namespace oida::cuda
