#pragma once
// Softmax cross-entropy of rows of logits, and its derivative by them.

#include <cmath>

#include "engine/cuda/image.hpp"
#include "engine/cuda/sums.hpp"

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

/// Of one row of logits, a sample's or a pixel's. loss [rows]: weight[label] times cross-entropy /
/// words->total, 0 where the label is -1 or the sample does not count; correct [rows]: 1 where the
/// largest logit is the label's; d_logits [rows, classes]. A row is held to 1 - smoothing for its
/// label and smoothing / classes for all.
template <typename T>
struct Loss {
  const float* logits;
  const std::int32_t* labels;
  const float* class_weights;
  const StepWords* words;
  int classes;
  Index sample_rows;
  float smoothing;
  T* d_logits;
  float* loss;
  std::int32_t* correct;

  OIDA_BOTH float mean_of(const float* row) const {
    float sum = 0.0F;
    for (int c = 0; c < classes; ++c) sum += row[c];
    return sum / static_cast<float>(classes);
  }
  OIDA_BOTH void operator()(Index k) const {
    const float* row = logits + k * static_cast<Index>(classes);
    const std::int32_t label = k / sample_rows < static_cast<Index>(words->n) ? labels[k] : -1;
    const float share = label < 0 ? 0.0F : class_weights[label] / words->total;
    const float norm = log_sum_exp(row, classes);
    const float sure = 1.0F - smoothing;
    loss[k] = label < 0 ? 0.0F : share * (norm - sure * row[label] - smoothing * mean_of(row));
    correct[k] = largest_of(row, classes) == label ? 1 : 0;
    for (int c = 0; c < classes; ++c) {
      const float target = (c == label ? sure : 0.0F) + smoothing / static_cast<float>(classes);
      const float slope = label < 0 ? 0.0F : share * (expf(row[c] - norm) - target);
      d_logits[k * static_cast<Index>(classes) + static_cast<Index>(c)] = narrow<T>(slope);
    }
  }
};

/// Sums of kRowsOfASum rows each (the last of what is left), as SumRows.
struct Tally {
  const float* loss;
  const std::int32_t* correct;
  Index rows;
  float* losses;
  std::int32_t* hits;

  OIDA_BOTH void operator()(Index piece) const {
    const Index first = piece * kRowsOfASum;
    const Index last = first + kRowsOfASum < rows ? first + kRowsOfASum : rows;
    losses[piece] = 0.0F;
    hits[piece] = 0;
    for (Index row = first; row < last; ++row) {
      losses[piece] += loss[row];
      hits[piece] += correct[row];
    }
  }
};

/// probabilities [rows, classes]
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
