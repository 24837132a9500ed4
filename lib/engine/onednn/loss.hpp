#pragma once
// Softmax cross-entropy on float32 logits: a row a sample, or a row a pixel for a dense output.

#include <vector>

#include "engine/engine.hpp"
#include "engine/onednn/stage.hpp"

namespace oida::onednn {

class SoftmaxLoss {
 public:
  /// `logits` must outlive it; `element` is the type of their gradient.
  SoftmaxLoss(const EngineOptions& options, const Tensor& logits, Element element);

  /// Loss, with the options' class weights and label smoothing, and correct answers of the first
  /// batch.n samples; writes the gradient of the logits of all max_batch samples: zero beyond
  /// batch.n and where the label is -1. Sums do not depend on the number of threads.
  StepResult run(const Batch& batch, void* gradient);
  std::size_t bytes() const;

 private:
  /// One labelled row; `share` is what it counts in the loss, `spread` what its label gives to each
  /// class.
  struct Target {
    int label;
    double share, spread;
  };

  template <typename T>
  void add_rows(const Batch& batch, std::size_t begin, std::size_t end, double all, T* gradient,
                StepResult& result);
  template <typename T>
  void add_row(const float* row, const Target& target, T* gradient, StepResult& result);
  double divisor(const Batch& batch) const;
  double weight_of(int label) const;

  const EngineOptions& options_;
  const Tensor& logits_;
  Element element_;
  std::size_t classes_;
  std::vector<double> exponentials_;  // [threads, classes]
  std::vector<StepResult> parts_;     // by block of rows
};

/// Softmax of the rows of the first n samples.
void softmax(const Tensor& logits, int n, float* probabilities);

}  // namespace oida::onednn
