#pragma once
// The optimizers of nn/optimizer.hpp and the delay-corrected merge of oida/delayed_mean.hpp, each
// in one pass over flat arrays on the card.

#include <cmath>

#include "engine/cuda/image.hpp"
#include "engine/norm.hpp"

namespace oida::cuda {

/// v <- momentum v + (g + decay x);  x <- x - rate v
struct Sgd {
  float* x;
  const float* gradient;
  float* velocity;
  const StepWords* words;
  float momentum, decay;

  OIDA_BOTH void operator()(Index k) const {
    const float moved = momentum * velocity[k] + (gradient[k] + decay * x[k]);
    velocity[k] = moved;
    x[k] -= words->rate * moved;
  }
};

/// a <- a + s^2;  x <- x - rate s / (sqrt(a + b) + epsilon) with s = g + decay x; in the last step
/// of a window b <- a, a <- 0.
struct AdagradWindow {
  float* x;
  const float* gradient;
  float* sum;
  float* before;
  const StepWords* words;
  float decay, epsilon;

  OIDA_BOTH void operator()(Index k) const {
    const float slope = gradient[k] + decay * x[k];
    const float squares = sum[k] + slope * slope;
    x[k] -= words->rate * slope / (sqrtf(squares + before[k]) + epsilon);
    const bool ends = words->window_ends != 0;
    sum[k] = ends ? 0.0F : squares;
    before[k] = ends ? squares : before[k];
  }
};

/// x <- x - kMomentShare gap: see Engine::moments().
struct MoveMoments {
  float* x;
  const float* gap;

  OIDA_BOTH void operator()(Index k) const { x[k] -= kMomentShare * gap[k]; }
};

/// sent <- x;  travelling <- weight x
struct Send {
  const float* x;
  float weight;
  float* sent;
  float* travelling;

  OIDA_BOTH void operator()(Index k) const {
    sent[k] = x[k];
    travelling[k] = weight * x[k];
  }
};

/// x <- x + (mean - sent)
struct Merge {
  float* x;
  const float* mean;
  const float* sent;

  OIDA_BOTH void operator()(Index k) const { x[k] += mean[k] - sent[k]; }
};

}  // namespace oida::cuda
