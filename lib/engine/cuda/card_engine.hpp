#pragma once
// The engine's interface over a chain on a card; parameters and gradient travel with every step.

#include <memory>

#include "core/error.hpp"
#include "engine/checks.hpp"
#include "engine/cuda/card_training.hpp"
#include "engine/cuda/memory_plan.hpp"

namespace oida::cuda {

template <typename Card, typename T>
class CardEngine final : public Engine {
 public:
  CardEngine(const Network& network, const EngineOptions& options, std::unique_ptr<Card> card);

  int channel_stride() const override { return padded_channels(network()); }
  std::size_t flat_size() const override { return chain_.layout().size(); }
  void import_flat(std::span<const float> canonical, std::span<float> flat) const override;
  void export_flat(std::span<const float> flat, std::span<float> canonical) const override;
  StepResult step(const Batch& batch, std::span<const float> parameters, std::span<float> gradient,
                  const Poll& poll) override;
  void predict(const Batch& batch, std::span<const float> parameters,
               std::span<float> probabilities) override;
  std::vector<FlatRange> moments() const override { return chain_.moments(); }
  std::unique_ptr<ResidentTraining> make_resident(const OptimizerOptions& optimizer,
                                                  const Scene& scene) override {
    return std::make_unique<CardTraining<Card, T>>(*this, *card_, chain_, optimizer, scene);
  }
  bool has_room_for_scene(std::size_t bytes) const override {
    return scene_fits(network(), options(), bytes, card_->room());
  }
  std::vector<MemoryItem> memory() const override { return card_->memory(); }
  std::vector<std::string> kernels() const override;

 private:
  static constexpr int kForwardMark = 0;  // that of layer i is i + 1; one more is CardTraining's

  void compute_once();
  void record();
  void upload(const Batch& batch, std::span<const float> parameters);
  void enqueue_backward();
  void collect(std::span<float> gradient, const Poll& poll);

  std::unique_ptr<Card> card_;
  Chain<Card, T> chain_;
  float* gradient_ = nullptr;  // pinned, as are those below
  PinnedResult result_;
  float* probabilities_ = nullptr;
  int forward_ = -1;
  int predict_ = -1;
  std::vector<int> backward_;  // by layer
};

template <typename Card, typename T>
CardEngine<Card, T>::CardEngine(const Network& network, const EngineOptions& options,
                                std::unique_ptr<Card> card)
    : Engine(network, options), card_(std::move(card)), chain_(*card_, network, options) {
  const auto n = static_cast<std::size_t>(options.max_batch);
  gradient_ = card_->template pinned<float>(flat_size());
  result_ = pinned_result(*card_, chain_.tallies(n));
  probabilities_ = card_->template pinned<float>(n * chain_.sample_rows() *
                                                 static_cast<std::size_t>(network.classes));
  card_->prepare(static_cast<int>(chain_.layers()) + 2);
  compute_once();
  record();
}

/// Libraries set themselves up in their first call, which cannot be recorded. No sample counts yet.
template <typename Card, typename T>
void CardEngine<Card, T>::compute_once() {
  chain_.load(chain_.input());
  chain_.forward(true);
  chain_.loss();
  for (std::size_t layer = chain_.layers(); layer-- > 0;) chain_.backward(layer);
  chain_.softmax();
}

template <typename Card, typename T>
void CardEngine<Card, T>::record() {
  predict_ = card_->record([this] {
    chain_.forward(false);
    chain_.softmax();
  });
  forward_ = card_->record([this] {
    chain_.forward(true);
    chain_.loss();
  });
  backward_.resize(chain_.layers());
  for (std::size_t layer = chain_.layers(); layer-- > 0;) {
    backward_[layer] = card_->record([this, layer] { chain_.backward(layer); });
  }
}

template <typename Card, typename T>
void CardEngine<Card, T>::import_flat(std::span<const float> canonical,
                                      std::span<float> flat) const {
  check_size("canonical array", canonical.size(), chain_.layout().canonical_size());
  check_size("flat array", flat.size(), flat_size());
  chain_.layout().import_flat(canonical, flat);
}

template <typename Card, typename T>
void CardEngine<Card, T>::export_flat(std::span<const float> flat,
                                      std::span<float> canonical) const {
  check_size("flat array", flat.size(), flat_size());
  check_size("canonical array", canonical.size(), chain_.layout().canonical_size());
  chain_.layout().export_flat(flat, canonical);
}

template <typename Card, typename T>
void CardEngine<Card, T>::upload(const Batch& batch, std::span<const float> parameters) {
  check_batch(*this, batch);
  check_size("parameter array", parameters.size(), flat_size());
  card_->upload(chain_.parameters(), parameters.data(), parameters.size_bytes());
  upload_words(*card_, chain_, batch, {});
  card_->upload(chain_.input(), batch.input.data(),
                static_cast<std::size_t>(batch.n) * batch.sample_floats() * sizeof(float));
  chain_.load(chain_.input());
}

/// The gradient of each layer travels home while the next one is computed.
template <typename Card, typename T>
void CardEngine<Card, T>::enqueue_backward() {
  std::size_t end = flat_size();
  for (std::size_t layer = chain_.layers(); layer-- > 0;) {
    card_->play(backward_[layer]);
    const std::size_t begin = chain_.gradient_begin(layer);
    card_->fetch(gradient_ + begin, chain_.gradient() + begin, (end - begin) * sizeof(float));
    card_->mark_fetched(static_cast<int>(layer) + 1);
    end = begin;
  }
}

template <typename Card, typename T>
void CardEngine<Card, T>::collect(std::span<float> gradient, const Poll& poll) {
  std::size_t end = flat_size();
  for (std::size_t layer = chain_.layers(); layer-- > 0;) {
    wait_for(*card_, static_cast<int>(layer) + 1, poll, end);
    const std::size_t begin = chain_.gradient_begin(layer);
    std::copy(gradient_ + begin, gradient_ + end, gradient.data() + begin);
    end = begin;
  }
  if (poll) poll(end);
}

template <typename Card, typename T>
StepResult CardEngine<Card, T>::step(const Batch& batch, std::span<const float> parameters,
                                     std::span<float> gradient, const Poll& poll) {
  check_size("gradient", gradient.size(), flat_size());
  upload(batch, parameters);
  const std::size_t tallies = chain_.tallies(static_cast<std::size_t>(batch.n));
  card_->play(forward_);
  fetch_result(*card_, chain_, tallies, result_);
  card_->mark_fetched(kForwardMark);
  enqueue_backward();
  wait_for(*card_, kForwardMark, poll, flat_size());
  collect(gradient, poll);
  return sum_of(result_, tallies);
}

template <typename Card, typename T>
void CardEngine<Card, T>::predict(const Batch& batch, std::span<const float> parameters,
                                  std::span<float> probabilities) {
  check_batch(*this, batch);
  const std::size_t size = static_cast<std::size_t>(batch.n) * chain_.sample_rows() *
                           static_cast<std::size_t>(network().classes);
  check_size("probability array", probabilities.size(), size);
  upload(batch, parameters);
  card_->play(predict_);
  card_->fetch(probabilities_, chain_.probabilities(), size * sizeof(float));
  card_->mark_fetched(kForwardMark);
  wait_for(*card_, kForwardMark, {}, 0);
  std::copy_n(probabilities_, size, probabilities.begin());
}

template <typename Card, typename T>
std::vector<std::string> CardEngine<Card, T>::kernels() const {
  auto lines = chain_.kernels();
  const auto more = card_->lines();
  lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}

/// By options.precision.
template <typename Card>
std::unique_ptr<Engine> make_card_engine(const Network& network, const EngineOptions& options,
                                         std::unique_ptr<Card> card) {
  if (arithmetic(options.precision) == Arithmetic::bf16) {
    return std::make_unique<CardEngine<Card, Bf16>>(network, options, std::move(card));
  }
  return std::make_unique<CardEngine<Card, float>>(network, options, std::move(card));
}

}  // namespace oida::cuda
