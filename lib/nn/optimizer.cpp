#include "nn/optimizer.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace oida {
namespace {

/// Below this many elements a second thread costs more than it saves.
constexpr std::size_t kParallelSize = 32768;

int threads_for(std::size_t size, const OptimizerOptions& options) {
  return size >= kParallelSize ? options.threads : 1;
}

void sgd(std::span<float> x, std::span<const float> gradient, std::span<float> velocity, float rate,
         const OptimizerOptions& options) {
  const float momentum = options.momentum;
  const float decay = options.weight_decay;
  float* __restrict p = x.data();
  float* __restrict v = velocity.data();
  const float* __restrict g = gradient.data();
  const std::size_t size = x.size();
#pragma omp parallel for simd schedule(static) num_threads(threads_for(size, options))
  for (std::size_t i = 0; i < size; ++i) {
    const float moved = momentum * v[i] + (g[i] + decay * p[i]);
    v[i] = moved;
    p[i] -= rate * moved;
  }
}

/// In the last step of a window its sum becomes that of the window before.
void adagrad_window(std::span<float> x, std::span<const float> gradient, std::span<float> sum,
                    std::span<float> before, float rate, const OptimizerOptions& options,
                    bool window_ends) {
  const float decay = options.weight_decay;
  const float epsilon = options.epsilon;
  float* __restrict p = x.data();
  float* __restrict a = sum.data();
  float* __restrict b = before.data();
  const float* __restrict g = gradient.data();
  const std::size_t size = x.size();
#pragma omp parallel for simd schedule(static) num_threads(threads_for(size, options))
  for (std::size_t i = 0; i < size; ++i) {
    const float slope = g[i] + decay * p[i];
    const float squares = a[i] + slope * slope;
    p[i] -= rate * slope / (std::sqrt(squares + b[i]) + epsilon);
    a[i] = window_ends ? 0.0F : squares;
    b[i] = window_ends ? squares : b[i];
  }
}

void check(const OptimizerOptions& options) {
  if (!(options.momentum >= 0.0F && options.momentum < 1.0F)) {
    throw InputError("train.momentum",
                     std::to_string(options.momentum) + ", allowed: 0 up to but not 1");
  }
  if (!(options.weight_decay >= 0.0F)) {
    throw InputError("train.weight_decay",
                     std::to_string(options.weight_decay) + ", allowed: 0 up");
  }
  if (options.window < 1) {
    throw InputError("train.window", std::to_string(options.window) + ", allowed: 1 up");
  }
  if (!(options.epsilon > 0.0F)) {
    throw InputError("train.epsilon", std::to_string(options.epsilon) + ", allowed: above 0");
  }
}

}  // namespace

OptimizerOptions::Kind optimizer_kind(const std::string& name) {
  if (name == "sgd") return OptimizerOptions::Kind::sgd;
  if (name == "adagrad_window") return OptimizerOptions::Kind::adagrad_window;
  throw InputError("train.optimizer", "'" + name + "' is not known, allowed: sgd, adagrad_window");
}

Optimizer::Optimizer(OptimizerOptions options, std::size_t size) : options_(options) {
  check(options_);
  const std::size_t count = options_.kind == OptimizerOptions::Kind::sgd ? 1 : 2;
  slots_.assign(count, AlignedVector<float>(size, 0.0F));
}

void Optimizer::update(std::span<float> x, std::span<const float> gradient, float rate,
                       std::uint64_t step) {
  const std::size_t size = slots_[0].size();
  if (x.size() != size || gradient.size() != size) {
    throw Error("optimizer", std::to_string(x.size()) + " parameters and " +
                                 std::to_string(gradient.size()) + " gradients, made for " +
                                 std::to_string(size));
  }
  if (options_.kind == OptimizerOptions::Kind::sgd) {
    sgd(x, gradient, slots_[0], rate, options_);
    return;
  }
  const bool window_ends = (step + 1) % static_cast<std::uint64_t>(options_.window) == 0;
  adagrad_window(x, gradient, slots_[0], slots_[1], rate, options_, window_ends);
}

void Optimizer::reset() {
  for (auto& slot : slots_) std::ranges::fill(slot, 0.0F);
}

}  // namespace oida
