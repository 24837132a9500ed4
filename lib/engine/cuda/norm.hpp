#pragma once
// Norms: moments in two passes over the values, in a fixed order, and what they do to one element.
// A set is what shares its moments: a channel of all samples that count (batch_norm), or a group of
// channels of one sample (group_norm). Formulas: engine/reference/layers.hpp.

#include <cmath>

#include "engine/cuda/image.hpp"
#include "engine/cuda/numbers.hpp"
#include "engine/norm.hpp"

namespace oida::cuda {

/// Pixels of a sample that one thread adds up.
constexpr Index kPixelsOfAPiece = 128;

OIDA_BOTH inline Index pieces_of(const Image& image) {
  return (image.pixels() + kPixelsOfAPiece - 1) / kPixelsOfAPiece;
}

/// groups 0: a set a channel, `c` padding included.
struct NormSets {
  Image image;
  Index groups;
  const StepWords* words;

  OIDA_BOTH Index group_size() const { return static_cast<Index>(image.c) / groups; }
  OIDA_BOTH Index of(Index i, Index channel) const {
    return groups == 0 ? channel : i * groups + channel / group_size();
  }
  /// Whether an element belongs to a set: no padding, in a sample that counts.
  OIDA_BOTH bool has(Index i, Index channel) const {
    return channel < static_cast<Index>(image.c) && i < static_cast<Index>(words->n);
  }
  OIDA_BOTH float size() const {
    const float pixels = static_cast<float>(image.pixels());
    return groups == 0 ? pixels * static_cast<float>(words->n)
                       : pixels * static_cast<float>(group_size());
  }
};

/// By set.
struct NormMoments {
  float* mean;
  float* variance;

  OIDA_BOTH float inverse_deviation(Index set) const {
    return 1.0F / sqrtf(variance[set] + static_cast<float>(kNormEpsilon));
  }
};

/// sums [n, pieces_of(image), stride] of term(i, channel, index of the element).
template <typename Term>
struct SumPieces {
  Term term;
  Image image;
  float* sums;

  OIDA_BOTH void operator()(Index index) const {
    const Index stride = static_cast<Index>(image.stride);
    const Index channel = index % stride;
    const Index piece = index / stride % pieces_of(image);
    const Index i = index / stride / pieces_of(image);
    const Index first = piece * kPixelsOfAPiece;
    const Index last =
        first + kPixelsOfAPiece < image.pixels() ? first + kPixelsOfAPiece : image.pixels();
    float sum = 0.0F;
    for (Index pixel = first; pixel < last; ++pixel) {
      sum += term(i, channel, i * image.size() + pixel * stride + channel);
    }
    sums[index] = sum;
  }
};

/// Terms of SumPieces.
template <typename T>
struct ValueTerm {
  NormSets sets;
  const T* in;

  OIDA_BOTH float operator()(Index i, Index channel, Index at) const {
    return sets.has(i, channel) ? to_float(in[at]) : 0.0F;
  }
};
template <typename T>
struct SquareTerm {
  NormSets sets;
  const T* in;
  const float* mean;

  OIDA_BOTH float operator()(Index i, Index channel, Index at) const {
    if (!sets.has(i, channel)) return 0.0F;
    const float apart = to_float(in[at]) - mean[sets.of(i, channel)];
    return apart * apart;
  }
};
/// d_out times the normal value.
template <typename T>
struct AlongTerm {
  NormSets sets;
  NormMoments moments;
  const T* in;
  const T* d_out;

  OIDA_BOTH float operator()(Index i, Index channel, Index at) const {
    if (!sets.has(i, channel)) return 0.0F;
    const Index set = sets.of(i, channel);
    return to_float(d_out[at]) * (to_float(in[at]) - moments.mean[set]) *
           moments.inverse_deviation(set);
  }
};

/// sums [n, groups] of the pieces of a group's channels, each times `weight` [c] where given.
struct SumGroups {
  NormSets sets;
  const float* pieces;
  const float* weight;
  float* sums;

  OIDA_BOTH void operator()(Index set) const {
    const Index stride = static_cast<Index>(sets.image.stride);
    const Index i = set / sets.groups;
    const Index first = set % sets.groups * sets.group_size();
    float sum = 0.0F;
    for (Index piece = 0; piece < pieces_of(sets.image); ++piece) {
      for (Index c = first; c < first + sets.group_size(); ++c) {
        const float value = pieces[(i * pieces_of(sets.image) + piece) * stride + c];
        sum += weight != nullptr ? weight[c] * value : value;
      }
    }
    sums[set] = sum;
  }
};

/// sums /= size of a set
struct DivideBySize {
  NormSets sets;
  float* sums;

  OIDA_BOTH void operator()(Index set) const { sums[set] /= sets.size(); }
};

template <typename T>
struct Normalise {
  NormSets sets;
  NormMoments moments;
  const float* weight;
  const float* bias;
  bool relu;
  const T* in;
  T* out;

  OIDA_BOTH void operator()(Index index) const {
    const Place to = place_of(sets.image, index);
    if (to.channel >= static_cast<Index>(sets.image.c)) {
      out[index] = narrow<T>(0.0F);
      return;
    }
    const Index set = sets.of(to.i, to.channel);
    const float normal = (to_float(in[index]) - moments.mean[set]) * moments.inverse_deviation(set);
    const float value = weight[to.channel] * normal + bias[to.channel];
    out[index] = narrow<T>(relu && value < 0.0F ? 0.0F : value);
  }
};

/// d_in, with sums over the set of g = weight d_out, and of g times the normal value. Where there
/// is a set a channel its weight stands before the sums.
template <typename T>
struct NormBackward {
  NormSets sets;
  NormMoments moments;
  const float* weight;
  const float* sum;
  const float* along;
  const T* in;
  const T* d_out;
  T* d_in;

  OIDA_BOTH void operator()(Index index) const {
    const Place to = place_of(sets.image, index);
    if (!sets.has(to.i, to.channel)) {
      d_in[index] = narrow<T>(0.0F);
      return;
    }
    const Index set = sets.of(to.i, to.channel);
    const float deviation = moments.inverse_deviation(set);
    const float normal = (to_float(in[index]) - moments.mean[set]) * deviation;
    const float w = weight[to.channel];
    const float before = sets.groups == 0 ? w : 1.0F;
    const float shared = before * (sum[set] + normal * along[set]) / sets.size();
    d_in[index] = narrow<T>(deviation * (w * to_float(d_out[index]) - shared));
  }
};

/// gap = running - now, by channel: see Engine::moments().
struct MomentGap {
  const float* running;
  const float* now;
  float* gap;

  OIDA_BOTH void operator()(Index channel) const { gap[channel] = running[channel] - now[channel]; }
};

}  // namespace oida::cuda
