#include "engine/onednn/norm_stage.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/norm.hpp"
#include "engine/onednn/elementwise.hpp"
#include "engine/onednn/typed.hpp"

namespace oida::onednn {
namespace {

enum Array : std::size_t { kWeight, kBias, kMean, kVariance };

/// Pixels whose sum is made in float32.
constexpr std::size_t kFew = 64;
/// Channels that are summed at a time.
constexpr std::size_t kChunk = 16;

/// Two sums of every channel over the pixels of a sample; add(pixel, c, one, other) adds to them.
template <typename Add>
void sum_channels(std::size_t pixels, std::size_t channels, double* one, double* other,
                  const Add& add) {
  std::fill_n(one, channels, 0.0);
  std::fill_n(other, channels, 0.0);
  for (std::size_t begin = 0; begin < pixels; begin += kFew) {
    const std::size_t end = std::min(pixels, begin + kFew);
    for (std::size_t c = 0; c < channels; c += kChunk) {
      const std::size_t wide = std::min(kChunk, channels - c);
      std::array<float, kChunk> few{};
      std::array<float, kChunk> more{};
      for (std::size_t p = begin; p < end; ++p) {
        for (std::size_t i = 0; i < wide; ++i) add(p, c + i, few[i], more[i]);
      }
      for (std::size_t i = 0; i < wide; ++i) {
        one[c + i] += static_cast<double>(few[i]);
        other[c + i] += static_cast<double>(more[i]);
      }
    }
  }
}

std::size_t pixels_of(const Tensor& tensor) {
  return tensor.sample_size() / tensor.stride();
}

}  // namespace

NormStage::NormStage(const SimpleLayer& layer, const Tensor& input, ParameterArrays arrays)
    : ArraysStage(layer, input, std::move(arrays)) {
  output_.relu = layer.layer.relu;
  const auto samples = static_cast<std::size_t>(layer.samples);
  for (auto* sums : {&sums_, &more_sums_}) sums->resize(samples * input.stride());
  for (auto* values : {&center_, &inverse_, &scale_, &shift_, &turn_}) {
    values->resize(samples * input.stride());
  }
  const auto groups = static_cast<std::size_t>(layer.layer.groups);
  const std::size_t sets = over_batch() ? static_cast<std::size_t>(channels()) : samples * groups;
  for (auto* by_set : {&mean_, &variance_, &set_sum_, &set_along_}) by_set->resize(sets);
}

std::size_t NormStage::bytes() const {
  return (2 * sums_.size() + 4 * mean_.size()) * sizeof(double) +
         5 * center_.size() * sizeof(float);
}

std::size_t NormStage::set_of(int n, int c) const {
  if (over_batch()) return static_cast<std::size_t>(c);
  const int groups = layer_.layer.groups;
  return static_cast<std::size_t>(n * groups + c / (channels() / groups));
}

double NormStage::set_size(const Pass& pass) const {
  const double pixels = static_cast<double>(input().shape.h) * input().shape.w;
  return over_batch() ? used(pass) * pixels : channels() / layer_.layer.groups * pixels;
}

void NormStage::mean_by_set(const Pass& pass, std::vector<double>& values,
                            std::vector<double>& means) {
  std::ranges::fill(means, 0.0);
  for (int n = 0; n < used(pass); ++n) {
    for (int c = 0; c < channels(); ++c) means[set_of(n, c)] += row(values, n)[c];
  }
  for (double& mean : means) mean /= set_size(pass);
}

void NormStage::take_running(const Pass& pass) {
  std::copy_n(arrays_.at(kMean, pass.parameters), channels(), mean_.begin());
  std::copy_n(arrays_.at(kVariance, pass.parameters), channels(), variance_.begin());
}

/// One pass over the values: each channel's sums of distances from the sample's first value, and of
/// their squares, which rounding cannot spoil as it would those of the values themselves.
void NormStage::measure(const Pass& pass) {
  by_element(input().element, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < used(pass); ++n) {
      const T* values = sample_of<T>(input(), static_cast<const void*>(input().data), n);
      float* center = row(center_, n);
      for (int c = 0; c < channels(); ++c) center[c] = to_float(values[c]);
      sum_channels(pixels_of(input()), static_cast<std::size_t>(channels()), row(sums_, n),
                   row(more_sums_, n),
                   [&](std::size_t p, std::size_t c, float& sum, float& squares) {
                     const float apart = to_float(values[p * input().stride() + c]) - center[c];
                     sum += apart;
                     squares += apart * apart;
                   });
    }
  });
  const double pixels = static_cast<double>(pixels_of(input()));
  const auto each = [&](const auto& work) {
    for (int n = 0; n < used(pass); ++n) {
      for (int c = 0; c < channels(); ++c) {
        work(row(sums_, n)[c], row(more_sums_, n)[c], static_cast<double>(row(center_, n)[c]),
             set_of(n, c));
      }
    }
  };
  each([&](double& sum, double&, double center, std::size_t) { sum += pixels * center; });
  mean_by_set(pass, sums_, mean_);
  each([&](double& sum, double& squares, double center, std::size_t set) {
    const double apart = center - mean_[set];
    squares += 2.0 * apart * (sum - pixels * center) + pixels * apart * apart;
  });
  mean_by_set(pass, more_sums_, variance_);
}

/// Samples that count in no moment of their own have those of the sets that are there.
void NormStage::place_moments(const Pass& pass) {
  const float* weight = arrays_.at(kWeight, pass.parameters);
  for (int n = 0; n < layer_.samples; ++n) {
    for (int c = 0; c < channels(); ++c) {
      const std::size_t set = set_of(n, c);
      const double inverse = 1.0 / std::sqrt(variance_[set] + kNormEpsilon);
      row(center_, n)[c] = static_cast<float>(mean_[set]);
      row(inverse_, n)[c] = static_cast<float>(inverse);
      row(scale_, n)[c] = static_cast<float>(inverse) * weight[c];
    }
  }
}

void NormStage::forward(const Pass& pass) {
  if (over_batch() && !pass.training) {
    take_running(pass);
  } else {
    measure(pass);
  }
  place_moments(pass);
  const float* bias = arrays_.at(kBias, pass.parameters);
  const float lowest = layer_.layer.relu ? 0.0F : -std::numeric_limits<float>::infinity();
  by_element(input().element, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < layer_.samples; ++n) {
      const T* from = sample_of<T>(input(), static_cast<const void*>(input().data), n);
      T* to = sample_of<T>(output_, output_.data, n);
      const float* center = row(center_, n);
      const float* scale = row(scale_, n);
      for (std::size_t p = 0; p < pixels_of(input()); ++p) {
        for (int c = 0; c < channels(); ++c) {
          const float value = scale[c] * (to_float(from[c]) - center[c]) + bias[c];
          to[c] = from_float<T>(value < lowest ? lowest : value);
        }
        from += input().stride();
        to += output_.stride();
      }
    }
  });
}

/// sums_: of the gradients; more_sums_: of gradient times normal value.
void NormStage::sum_slopes(const Pass& pass, const void* diff) {
  by_element(input().element, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < used(pass); ++n) {
      const T* values = sample_of<T>(input(), static_cast<const void*>(input().data), n);
      const T* slopes = sample_of<T>(output_, diff, n);
      const float* center = row(center_, n);
      sum_channels(pixels_of(input()), static_cast<std::size_t>(channels()), row(sums_, n),
                   row(more_sums_, n), [&](std::size_t p, std::size_t c, float& sum, float& along) {
                     const std::size_t at = p * input().stride() + c;
                     const float slope = to_float(slopes[at]);
                     sum += slope;
                     along += slope * (to_float(values[at]) - center[c]);
                   });
      for (int c = 0; c < channels(); ++c) {
        row(more_sums_, n)[c] *= static_cast<double>(row(inverse_, n)[c]);
      }
    }
  });
}

void NormStage::write_gradients(const Pass& pass) {
  arrays_.clear_gaps(pass.gradient);
  for (int c = 0; c < channels(); ++c) {
    double sum = 0.0;
    double along = 0.0;
    for (int n = 0; n < used(pass); ++n) {
      sum += row(sums_, n)[c];
      along += row(more_sums_, n)[c];
    }
    arrays_.at(kWeight, pass.gradient)[c] = static_cast<float>(along);
    arrays_.at(kBias, pass.gradient)[c] = static_cast<float>(sum);
  }
  if (over_batch()) write_moments(pass);
}

/// What the running moments lie above the batch's.
void NormStage::write_moments(const Pass& pass) {
  for (std::size_t c = 0; c < mean_.size(); ++c) {
    arrays_.at(kMean, pass.gradient)[c] =
        arrays_.at(kMean, pass.parameters)[c] - static_cast<float>(mean_[c]);
    arrays_.at(kVariance, pass.gradient)[c] =
        arrays_.at(kVariance, pass.parameters)[c] - static_cast<float>(variance_[c]);
  }
}

/// Ioffe and Szegedy 2015, section 3, in one expression: with g = weight d_out and the normal
/// values v, d_in = (g - mean g - v mean(g v)) / deviation.
void NormStage::place_slopes(const Pass& pass) {
  const float* weight = arrays_.at(kWeight, pass.parameters);
  for (int n = 0; n < used(pass); ++n) {
    for (int c = 0; c < channels(); ++c) {
      row(sums_, n)[c] *= static_cast<double>(weight[c]);
      row(more_sums_, n)[c] *= static_cast<double>(weight[c]);
    }
  }
  mean_by_set(pass, sums_, set_sum_);
  mean_by_set(pass, more_sums_, set_along_);
  for (int n = 0; n < used(pass); ++n) {
    for (int c = 0; c < channels(); ++c) {
      const std::size_t set = set_of(n, c);
      const auto inverse = static_cast<double>(row(inverse_, n)[c]);
      row(shift_, n)[c] = static_cast<float>(inverse * set_sum_[set]);
      row(turn_, n)[c] = static_cast<float>(inverse * inverse * set_along_[set]);
    }
  }
}

void* NormStage::backward(const Pass& pass, void* diff, void* spare) {
  sum_slopes(pass, diff);
  write_gradients(pass);
  if (layer_.first) return diff;
  place_slopes(pass);
  by_element(input().element, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < layer_.samples; ++n) {
      T* to = sample_of<T>(input(), spare, n);
      const bool padded = input().stride() > static_cast<std::size_t>(channels());
      if (n >= used(pass) || padded) std::fill_n(to, input().sample_size(), T{});
      if (n >= used(pass)) continue;
      const T* values = sample_of<T>(input(), static_cast<const void*>(input().data), n);
      const T* slopes = sample_of<T>(output_, static_cast<const void*>(diff), n);
      const float* center = row(center_, n);
      const float* scale = row(scale_, n);
      const float* shift = row(shift_, n);
      const float* turn = row(turn_, n);
      for (std::size_t p = 0; p < pixels_of(input()); ++p) {
        for (int c = 0; c < channels(); ++c) {
          const float apart = to_float(values[c]) - center[c];
          to[c] = from_float<T>(scale[c] * to_float(slopes[c]) - shift[c] - turn[c] * apart);
        }
        values += input().stride();
        slopes += output_.stride();
        to += input().stride();
      }
    }
  });
  if (input().relu) mask_where_not_positive(input(), layer_.samples, spare);
  return spare;
}

}  // namespace oida::onednn
