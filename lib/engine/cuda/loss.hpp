#pragma once
// Softmax cross-entropy of one sample, and its derivative by the logits.

#include <cmath>

#include "engine/cuda/image.hpp"
#include "engine/cuda/numbers.hpp"

namespace oida::cuda {

OIDA_BOTH inline int largest_of(const float* logits, int classes) {
  int best = 0;
  for (int c = 1; c < classes; ++c) {
    if (logits[c] > logits[best]) best = c;
  }
  return best;
}

/// log of the sum of exp(logits), without overflow.
OIDA_BOTH inline float log_sum_exp(const float* logits, int classes) {
  const float top = logits[largest_of(logits, classes)];
  float sum = 0.0F;
  for (int c = 0; c < classes; ++c) sum += expf(logits[c] - top);
  return top + logf(sum);
}

/// loss [n]: weight[label] times cross-entropy / n, 0 where the label is -1 or the sample does not
/// count; correct [n]: 1 where the largest logit is the label's; d_logits [n, classes].
template <typename T>
struct Loss {
  const float* logits;
  const std::int32_t* labels;
  const float* class_weights;
  const StepWords* words;
  int classes;
  T* d_logits;
  float* loss;
  std::int32_t* correct;

  OIDA_BOTH void operator()(Index i) const {
    const float* row = logits + i * static_cast<Index>(classes);
    const std::int32_t label = i < static_cast<Index>(words->n) ? labels[i] : -1;
    const float share = label < 0 ? 0.0F : class_weights[label] / static_cast<float>(words->n);
    const float norm = log_sum_exp(row, classes);
    loss[i] = label < 0 ? 0.0F : share * (norm - row[label]);
    correct[i] = largest_of(row, classes) == label ? 1 : 0;
    for (int c = 0; c < classes; ++c) {
      const float target = c == label ? 1.0F : 0.0F;
      const float slope = label < 0 ? 0.0F : share * (expf(row[c] - norm) - target);
      d_logits[i * static_cast<Index>(classes) + static_cast<Index>(c)] = narrow<T>(slope);
    }
  }
};

/// probabilities [n, classes]; `i` counts samples.
struct Softmax {
  const float* logits;
  int classes;
  float* probabilities;

  OIDA_BOTH void operator()(Index i) const {
    const Index first = i * static_cast<Index>(classes);
    const float norm = log_sum_exp(logits + first, classes);
    for (Index c = 0; c < static_cast<Index>(classes); ++c) {
      probabilities[first + c] = expf(logits[first + c] - norm);
    }
  }
};

}  // namespace oida::cuda
