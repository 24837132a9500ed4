#pragma once
// A network compiled for a card: its arrays, and what is done to them, layer by layer.
// T: element of activations and of the weights that layers read, float or Bf16. Parameters,
// gradient, biases and logits are float. Card: see card.hpp.

#include <algorithm>
#include <string>
#include <vector>

#include "engine/cuda/card.hpp"
#include "engine/cuda/layout.hpp"
#include "engine/cuda/loss.hpp"
#include "engine/cuda/pointwise.hpp"
#include "engine/cuda/sums.hpp"
#include "engine/dropout.hpp"
#include "engine/engine.hpp"

namespace oida::cuda {

/// All functions only ask the card; nothing is computed when they return.
template <typename Card, typename T>
class Chain {
 public:
  /// The card outlives it.
  Chain(Card& card, const Network& network, const EngineOptions& options);

  const FlatLayout& layout() const { return layout_; }
  std::size_t layers() const { return stages_.size(); }

  float* input() { return input_; }           // [max_batch, h, w, stride]
  std::int32_t* labels() { return labels_; }  // [max_batch]
  StepWords* words() { return words_; }
  float* parameters() { return parameters_; }  // flat
  float* gradient() { return gradient_; }      // flat
  float* losses() { return losses_; }          // [max_batch]
  std::int32_t* correct() { return correct_; }
  float* probabilities() { return probabilities_; }

  void forward(bool training);
  void softmax();
  void loss();
  /// Of layer `layer`; the last one first. Nothing is done before the first layer with parameters.
  void backward(std::size_t layer);
  /// The gradient is final from here on after backward(layer).
  std::size_t gradient_begin(std::size_t layer) const { return stages_[layer].gradient_begin; }

  /// As Engine::kernels().
  std::vector<std::string> kernels() const;

 private:
  struct Stage {
    Layer layer;
    Image in, out;
    std::string name = {};
    const Trained* trained = nullptr;
    bool needs_d_in = true;  // some layer before it has parameters
    std::size_t gradient_begin = 0;
    int plan = -1;  // the card's conv or pool
    const T* input = nullptr;
    T* output = nullptr;
    T* slope = nullptr;  // the loss's derivative by the output
    T* d_in = nullptr;   // and by the input
    std::uint8_t* keep = nullptr;
    std::uint16_t* where = nullptr;
    Pool pool() const {
      return {in, out, static_cast<Index>(layer.kernel), static_cast<Index>(layer.stride)};
    }
  };

  void allocate_shared(const Network& network, const EngineOptions& options);
  void add_stages(const Network& network);
  void prepare(Stage& stage);
  void allocate_backward();
  void allocate_scratch();
  std::size_t elements(const Image& image) const {
    return static_cast<std::size_t>(samples_) * image.size();
  }
  Index count(const Image& image) const { return static_cast<Index>(samples_) * image.size(); }
  const T* weight(const Stage& stage) const { return weights_ + stage.trained->weight; }
  bool is_last(const Stage& stage) const { return &stage == &stages_.back(); }

  void forward(Stage& stage, bool training);
  void forward_trained(Stage& stage);
  void forward_dropout(Stage& stage, bool training);
  void multiply_forward(Stage& stage);
  template <typename Value>
  void add_bias(Stage& stage, Value* values);
  void backward_trained(Stage& stage);
  void backward_bias(Stage& stage);
  void backward_weight(Stage& stage);
  void backward_input(Stage& stage);
  void backward_other(Stage& stage);

  Card& card_;
  FlatLayout layout_;
  int samples_;
  int classes_;
  std::vector<Stage> stages_;

  float* input_ = nullptr;
  T* loaded_ = nullptr;
  std::int32_t* labels_ = nullptr;
  StepWords* words_ = nullptr;
  float* class_weights_ = nullptr;
  float* parameters_ = nullptr;
  T* weights_ = nullptr;  // parameters_, or a copy in T
  float* gradient_ = nullptr;
  T* weight_gradient_ = nullptr;  // of one conv layer, where T is not float
  float* logits_ = nullptr;
  float* losses_ = nullptr;
  std::int32_t* correct_ = nullptr;
  float* probabilities_ = nullptr;
  float* sums_[2] = {nullptr, nullptr};
};

}  // namespace oida::cuda

#include "engine/cuda/chain_backward.hpp"
#include "engine/cuda/chain_forward.hpp"
