#pragma once
// A network compiled for a card: its arrays, and what is done to them, layer by layer.
// T: element of activations and of the weights that layers read, float or Bf16. Parameters,
// gradient, biases and logits are float. Card: see card.hpp.

#include <algorithm>
#include <string>
#include <vector>

#include "engine/cuda/card.hpp"
#include "engine/cuda/complex.hpp"
#include "engine/cuda/layout.hpp"
#include "engine/cuda/loss.hpp"
#include "engine/cuda/norm.hpp"
#include "engine/cuda/patch.hpp"
#include "engine/cuda/pointwise.hpp"
#include "engine/cuda/resample.hpp"
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
  const Image& image() const { return stages_.front().in; }
  /// Rows of logits of one sample: 1, or one a pixel.
  std::size_t sample_rows() const { return sample_rows_; }
  /// Sums of losses that `samples` samples give.
  std::size_t tallies(std::size_t samples) const {
    return sums_of(static_cast<Index>(samples * sample_rows_));
  }

  float* input() { return input_; }           // [max_batch, h, w, stride]
  std::int32_t* labels() { return labels_; }  // [max_batch, sample_rows]
  StepWords* words() { return words_; }
  float* parameters() { return parameters_; }  // flat
  float* gradient() { return gradient_; }      // flat
  float* losses() { return losses_; }          // [tallies(max_batch)], as are those below
  std::int32_t* correct() { return correct_; }
  float* probabilities() { return probabilities_; }  // [max_batch, sample_rows, classes]

  /// What forward() reads: a batch on the card, laid out as input(), or patches cut there.
  void load(const float* batch);
  void cut(const float* pixels, const PatchPlace* places, const float* signs);
  void forward(bool training);
  void softmax();
  void loss();
  /// Of layer `layer`; the last one first. Nothing is done before the first layer with parameters.
  void backward(std::size_t layer);
  /// The gradient is final from here on after backward(layer).
  std::size_t gradient_begin(std::size_t layer) const { return stages_[layer].gradient_begin; }
  /// Parameters that no optimizer may touch.
  std::vector<FlatRange> moments() const;

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
    T* expanded = nullptr;     // complex_conv: weights of the real one
    int with = -1;             // concat: the stage whose output follows
    T* d_with = nullptr;       // and the derivative by that output
    NormMoments moments = {};  // norms: of the batch
    Pool pool() const {
      return {in, out, static_cast<Index>(layer.kernel), static_cast<Index>(layer.stride)};
    }
    bool learns() const { return trained != nullptr || needs_d_in; }
    bool is(LayerKind kind) const { return layer.kind == kind; }
    bool is_norm() const { return is(LayerKind::group_norm) || is(LayerKind::batch_norm); }
    ComplexPairs pairs() const {
      return {static_cast<Index>(layer.reals), static_cast<Index>(out.c) / 2};
    }
    ComplexWeights complex_weights() const {
      return {static_cast<Index>(layer.out), static_cast<Index>(in.c) / 2,
              static_cast<Index>(layer.kernel * layer.kernel), static_cast<Index>(in.stride)};
    }
  };

  void allocate_shared(const Network& network, const EngineOptions& options);
  void allocate_results();
  void add_stages(const Network& network);
  void prepare(Stage& stage);
  void prepare_conv(Stage& stage);
  void prepare_norm(Stage& stage);
  void allocate_backward();
  void allocate_scratch();
  std::size_t elements(const Image& image) const {
    return static_cast<std::size_t>(samples_) * image.size();
  }
  Index count(const Image& image) const { return static_cast<Index>(samples_) * image.size(); }
  Index pieces(const Image& image) const { return static_cast<Index>(samples_) * pieces_of(image); }
  Index rows() const { return static_cast<Index>(samples_) * static_cast<Index>(sample_rows_); }
  const T* weight(const Stage& stage) const {
    return stage.expanded != nullptr ? stage.expanded : weights_ + stage.trained->weight.at;
  }
  float* value(const FlatArray& array) { return parameters_ + array.at; }
  float* slope(const FlatArray& array) { return gradient_ + array.at; }
  bool is_last(const Stage& stage) const { return &stage == &stages_.back(); }
  NormSets sets(const Stage& stage) const {
    return {stage.in, static_cast<Index>(stage.layer.groups), words_};
  }
  Index set_count(const Stage& stage) const {
    return stage.layer.groups == 0
               ? static_cast<Index>(stage.in.stride)
               : static_cast<Index>(samples_) * static_cast<Index>(stage.layer.groups);
  }

  void forward(Stage& stage, bool training);
  void forward_trained(Stage& stage);
  void forward_other(Stage& stage);
  void forward_dropout(Stage& stage, bool training);
  void forward_norm(Stage& stage, bool training);
  void find_moments(Stage& stage);
  void multiply_forward(Stage& stage);
  void finish_logits(Stage& stage);
  template <typename Value>
  void add_bias(Stage& stage, Value* values);
  template <typename Term>
  void sum_pieces(const Image& image, const Term& term, float* sums);
  template <typename Term>
  void sum_sets(const Stage& stage, const Term& term, float* sums);
  void add_up(float* from, Index rows, Index channels, float* to, int side = 0);

  void add_from_concats(Stage& stage);
  void backward_trained(Stage& stage);
  void backward_bias(Stage& stage);
  void backward_weight(Stage& stage);
  void backward_dense_weight(Stage& stage);
  void backward_input(Stage& stage);
  void backward_norm(Stage& stage);
  void sum_norm_slopes(Stage& stage);
  void backward_mod_relu(Stage& stage);
  void backward_concat(Stage& stage);
  void backward_other(Stage& stage);

  Card& card_;
  FlatLayout layout_;
  int samples_;
  int classes_;
  std::size_t sample_rows_;
  float smoothing_;
  std::vector<Stage> stages_;

  float* input_ = nullptr;
  T* loaded_ = nullptr;
  std::int32_t* labels_ = nullptr;
  StepWords* words_ = nullptr;
  float* class_weights_ = nullptr;
  float* parameters_ = nullptr;
  T* weights_ = nullptr;  // parameters_, or a copy in T
  float* gradient_ = nullptr;
  T* weight_gradient_ = nullptr;  // of one conv, where it is not that of the parameters
  float* logits_ = nullptr;
  float* row_losses_ = nullptr;
  std::int32_t* row_correct_ = nullptr;
  float* losses_ = nullptr;
  std::int32_t* correct_ = nullptr;
  float* probabilities_ = nullptr;
  float* sums_[2] = {nullptr, nullptr};
  float* pieces_[2] = {nullptr, nullptr};    // of SumPieces
  float* set_sums_[2] = {nullptr, nullptr};  // of one norm's sets, backward
};

}  // namespace oida::cuda

#include "engine/cuda/chain_backward.hpp"
#include "engine/cuda/chain_forward.hpp"
#include "engine/cuda/chain_make.hpp"
#include "engine/cuda/chain_norm.hpp"
