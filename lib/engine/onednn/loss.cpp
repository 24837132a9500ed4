#include "engine/onednn/loss.hpp"

#include <algorithm>
#include <cmath>

#include <omp.h>

#include "engine/onednn/typed.hpp"

namespace oida::onednn {
namespace {

/// Rows whose losses are summed apart.
constexpr std::size_t kBlock = 4096;

std::size_t rows_of(const Tensor& logits, int samples) {
  return static_cast<std::size_t>(samples) * logits.sample_size() / logits.stride();
}

const float* floats(const Tensor& logits) {
  return static_cast<const float*>(logits.data);
}

/// exponentials = exp(logits - the largest); gives that and their sum.
template <typename T>
std::pair<float, double> exponentials_of(const float* row, std::size_t classes, T* exponentials) {
  const float largest = *std::max_element(row, row + classes);
  double sum = 0.0;
  for (std::size_t c = 0; c < classes; ++c) {
    const double value = std::exp(static_cast<double>(row[c] - largest));
    exponentials[c] = static_cast<T>(value);
    sum += value;
  }
  return {largest, sum};
}

}  // namespace

SoftmaxLoss::SoftmaxLoss(const EngineOptions& options, const Tensor& logits, Element element)
    : options_(options),
      logits_(logits),
      element_(element),
      classes_(logits.stride()),
      exponentials_(static_cast<std::size_t>(options.threads) * classes_),
      parts_((rows_of(logits, options.max_batch) + kBlock - 1) / kBlock) {}

std::size_t SoftmaxLoss::bytes() const {
  return exponentials_.size() * sizeof(double) + parts_.size() * sizeof(StepResult);
}

double SoftmaxLoss::weight_of(int label) const {
  const auto& weights = options_.class_weights;
  return weights.empty() ? 1.0 : static_cast<double>(weights[static_cast<std::size_t>(label)]);
}

/// What the rows' losses are divided by.
double SoftmaxLoss::divisor(const Batch& batch) const {
  if (logits_.shape.h * logits_.shape.w == 1) return batch.n;
  const auto used = std::span(batch.labels).first(rows_of(logits_, batch.n));
  return static_cast<double>(std::max<std::ptrdiff_t>(
      1, std::ranges::count_if(used, [](int label) { return label >= 0; })));
}

template <typename T>
void SoftmaxLoss::add_row(const float* row, const Target& target, T* gradient, StepResult& result) {
  double* exponentials =
      exponentials_.data() + static_cast<std::size_t>(omp_get_thread_num()) * classes_;
  const auto [largest, sum] = exponentials_of(row, classes_, exponentials);
  const double norm = std::log(sum) + static_cast<double>(largest);
  const auto label = static_cast<std::size_t>(target.label);
  const double hit = 1.0 - static_cast<double>(classes_) * target.spread;
  for (std::size_t c = 0; c < classes_; ++c) {
    const double wanted = (c == label ? hit : 0.0) + target.spread;
    gradient[c] =
        from_float<T>(static_cast<float>(target.share * (exponentials[c] / sum - wanted)));
    if (wanted > 0.0) {
      result.loss += target.share * wanted * (norm - static_cast<double>(row[c]));
    }
  }
  const auto answer = static_cast<std::size_t>(std::max_element(row, row + classes_) - row);
  result.correct += answer == label ? 1 : 0;
}

template <typename T>
void SoftmaxLoss::add_rows(const Batch& batch, std::size_t begin, std::size_t end, double all,
                           T* gradient, StepResult& result) {
  const std::size_t used = rows_of(logits_, batch.n);
  const double spread =
      static_cast<double>(options_.label_smoothing) / static_cast<double>(classes_);
  for (std::size_t r = begin; r < end; ++r) {
    const int label = r < used ? batch.labels[r] : -1;
    if (label < 0) {
      std::fill_n(gradient + r * classes_, classes_, T{});
    } else {
      add_row(floats(logits_) + r * classes_, {label, weight_of(label) / all, spread},
              gradient + r * classes_, result);
    }
  }
}

StepResult SoftmaxLoss::run(const Batch& batch, void* gradient) {
  const double all = divisor(batch);
  const std::size_t rows = rows_of(logits_, options_.max_batch);
  by_element(element_, [&]<typename T>(std::type_identity<T>) {
#pragma omp parallel for schedule(static)
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      StepResult result;
      add_rows(batch, part * kBlock, std::min(rows, (part + 1) * kBlock), all,
               static_cast<T*>(gradient), result);
      parts_[part] = result;
    }
  });
  StepResult result;
  for (const StepResult& part : parts_) {
    result.loss += part.loss;
    result.correct += part.correct;
  }
  return result;
}

void softmax(const Tensor& logits, int n, float* probabilities) {
  const std::size_t classes = logits.stride();
  const std::size_t rows = rows_of(logits, n);
#pragma omp parallel for schedule(static)
  for (std::size_t r = 0; r < rows; ++r) {
    float* to = probabilities + r * classes;
    const double sum = exponentials_of(floats(logits) + r * classes, classes, to).second;
    for (std::size_t c = 0; c < classes; ++c) to[c] /= static_cast<float>(sum);
  }
}

}  // namespace oida::onednn
