#pragma once
// Chain: norms, and sums over the pixels of samples.

#include "engine/cuda/chain.hpp"

namespace oida::cuda {

/// [pieces, channels] of an image's term.
template <typename Card, typename T>
template <typename Term>
void Chain<Card, T>::sum_pieces(const Image& image, const Term& term, float* sums) {
  card_.run(pieces(image) * static_cast<Index>(image.stride), SumPieces<Term>{term, image, sums});
}

/// to [channels] <- the sum of all rows of `from`, whose scratch sums_[side] is free.
template <typename Card, typename T>
void Chain<Card, T>::add_up(float* from, Index rows, Index channels, float* to, int side) {
  while (true) {
    const Index sums = sums_of(rows);
    float* next = sums == 1 ? to : sums_[side];
    card_.run(sums * channels, SumRows<float>{from, nullptr, rows, channels, next});
    if (sums == 1) return;
    from = next;
    rows = sums;
    side = 1 - side;
  }
}

template <typename Card, typename T>
template <typename Term>
void Chain<Card, T>::sum_sets(const Stage& stage, const Term& term, float* sums) {
  sum_pieces(stage.in, term, pieces_[0]);
  if (stage.layer.groups == 0) {
    add_up(pieces_[0], pieces(stage.in), static_cast<Index>(stage.in.stride), sums);
  } else {
    card_.run(set_count(stage), SumGroups{sets(stage), pieces_[0], nullptr, sums});
  }
}

template <typename Card, typename T>
void Chain<Card, T>::find_moments(Stage& stage) {
  const NormSets of = sets(stage);
  const NormMoments& moments = stage.moments;
  sum_sets(stage, ValueTerm<T>{of, stage.input}, moments.mean);
  card_.run(set_count(stage), DivideBySize{of, moments.mean});
  sum_sets(stage, SquareTerm<T>{of, stage.input, moments.mean}, moments.variance);
  card_.run(set_count(stage), DivideBySize{of, moments.variance});
}

template <typename Card, typename T>
void Chain<Card, T>::forward_norm(Stage& stage, bool training) {
  const Trained& trained = *stage.trained;
  const bool running = stage.is(LayerKind::batch_norm) && !training;
  if (!running) find_moments(stage);
  const NormMoments moments =
      running ? NormMoments{value(trained.mean), value(trained.variance)} : stage.moments;
  card_.run(count(stage.out),
            Normalise<T>{sets(stage), moments, value(trained.weight), value(trained.bias),
                         stage.layer.relu, stage.input, stage.output});
}

/// Gradients of scale and shift, and what NormBackward wants of each set.
template <typename Card, typename T>
void Chain<Card, T>::sum_norm_slopes(Stage& stage) {
  const Trained& trained = *stage.trained;
  const NormSets of = sets(stage);
  const auto channels = static_cast<Index>(stage.in.stride);
  sum_pieces(stage.in, ValueTerm<T>{of, stage.slope}, pieces_[0]);
  sum_pieces(stage.in, AlongTerm<T>{of, stage.moments, stage.input, stage.slope}, pieces_[1]);
  add_up(pieces_[0], pieces(stage.in), channels, slope(trained.bias));
  add_up(pieces_[1], pieces(stage.in), channels, slope(trained.weight));
  if (stage.layer.groups == 0) return;
  for (int k = 0; k < 2; ++k) {
    card_.run(set_count(stage), SumGroups{of, pieces_[k], value(trained.weight), set_sums_[k]});
  }
}

template <typename Card, typename T>
void Chain<Card, T>::backward_norm(Stage& stage) {
  const Trained& trained = *stage.trained;
  if (stage.layer.relu) {
    card_.run(count(stage.out), ReluBackward<T>{stage.output, stage.slope, stage.slope});
  }
  sum_norm_slopes(stage);
  const bool by_channel = stage.layer.groups == 0;
  if (by_channel) {
    const auto channels = static_cast<Index>(stage.in.stride);
    card_.run(channels, MomentGap{value(trained.mean), stage.moments.mean, slope(trained.mean)});
    card_.run(channels,
              MomentGap{value(trained.variance), stage.moments.variance, slope(trained.variance)});
  }
  if (!stage.needs_d_in) return;
  card_.run(count(stage.in), NormBackward<T>{sets(stage), stage.moments, value(trained.weight),
                                             by_channel ? slope(trained.bias) : set_sums_[0],
                                             by_channel ? slope(trained.weight) : set_sums_[1],
                                             stage.input, stage.slope, stage.d_in});
}

}  // namespace oida::cuda
