#include "engine/reference/reference_engine.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "engine/checks.hpp"
#include "engine/reference/reference_network.hpp"

namespace oida {
namespace {

constexpr int kChannelBlock = 16;

class ReferenceEngine final : public Engine {
 public:
  ReferenceEngine(const Network& network, const EngineOptions& options)
      : Engine(network, options),
        reference_(network, options.class_weights, options.max_batch,
                   static_cast<double>(options.label_smoothing)),
        parameters_(parameter_count(network)),
        gradient_(parameters_.size()) {}

  int channel_stride() const override {
    return (network().input.c + kChannelBlock - 1) / kChannelBlock * kChannelBlock;
  }
  std::size_t flat_size() const override { return parameters_.size(); }
  void import_flat(std::span<const float> canonical, std::span<float> flat) const override;
  void export_flat(std::span<const float> flat, std::span<float> canonical) const override;
  StepResult step(const Batch& batch, std::span<const float> parameters, std::span<float> gradient,
                  const Poll& poll) override;
  void predict(const Batch& batch, std::span<const float> parameters,
               std::span<float> probabilities) override;
  std::vector<FlatRange> moments() const override;
  std::vector<MemoryItem> memory() const override;
  std::vector<std::string> kernels() const override;

 private:
  void take(std::span<const float> parameters);
  void backward(std::span<float> gradient, const Poll& poll);

  ReferenceNetwork reference_;
  std::vector<double> parameters_;
  std::vector<double> gradient_;
};

void ReferenceEngine::import_flat(std::span<const float> canonical, std::span<float> flat) const {
  check_size("canonical array", canonical.size(), parameters_.size());
  check_size("flat array", flat.size(), parameters_.size());
  std::ranges::copy(canonical, flat.begin());
}

void ReferenceEngine::export_flat(std::span<const float> flat, std::span<float> canonical) const {
  import_flat(flat, canonical);
}

void ReferenceEngine::take(std::span<const float> parameters) {
  check_size("parameter array", parameters.size(), parameters_.size());
  std::ranges::copy(parameters, parameters_.begin());
}

StepResult ReferenceEngine::step(const Batch& batch, std::span<const float> parameters,
                                 std::span<float> gradient, const Poll& poll) {
  check_batch(*this, batch);
  check_size("gradient", gradient.size(), flat_size());
  take(parameters);
  reference_.load(batch, true);
  for (std::size_t layer = 0; layer < reference_.layers(); ++layer) {
    reference_.forward_layer(layer, parameters_);
    if (poll) poll(flat_size());
  }
  const StepResult result = reference_.loss();
  backward(gradient, poll);
  return result;
}

void ReferenceEngine::backward(std::span<float> gradient, const Poll& poll) {
  std::size_t end = flat_size();
  for (std::size_t layer = reference_.layers(); layer-- > 0;) {
    reference_.backward_layer(layer, parameters_, gradient_);
    const std::size_t begin = reference_.gradient_begin(layer);
    for (std::size_t k = begin; k < end; ++k) gradient[k] = static_cast<float>(gradient_[k]);
    end = begin;
    if (poll) poll(begin);
  }
}

void ReferenceEngine::predict(const Batch& batch, std::span<const float> parameters,
                              std::span<float> probabilities) {
  check_batch(*this, batch);
  const auto classes = static_cast<std::size_t>(network().classes);
  check_size("probability array", probabilities.size(),
             static_cast<std::size_t>(batch.n) * label_count(network()) * classes);
  take(parameters);
  reference_.forward(batch, parameters_, false);
  std::ranges::transform(reference_.probabilities(), probabilities.begin(),
                         [](double value) { return static_cast<float>(value); });
}

std::vector<FlatRange> ReferenceEngine::moments() const {
  std::vector<FlatRange> ranges;
  for (const auto& array : parameters(network())) {
    if (array.moment) ranges.push_back({array.offset, array.size});
  }
  return ranges;
}

std::vector<MemoryItem> ReferenceEngine::memory() const {
  return {{"activations", reference_.activation_bytes()},
          {"activation gradients", reference_.derivative_bytes()},
          {"dropout masks", reference_.mask_bytes()},
          {"parameters and gradient in fp64",
           (parameters_.size() + gradient_.size()) * sizeof(double)}};
}

std::vector<std::string> ReferenceEngine::kernels() const {
  std::vector<std::string> lines;
  const auto text = to_lines(network());
  for (std::size_t layer = 0; layer < text.size(); ++layer) {
    const std::string name = std::to_string(layer + 1) + " " + text[layer];
    lines.push_back(name + ": forward plain loops fp64");
    lines.push_back(name + ": backward plain loops fp64");
  }
  return lines;
}

}  // namespace

std::unique_ptr<Engine> make_reference_engine(const Network& network,
                                              const EngineOptions& options) {
  if (options.precision != "fp32") {
    throw InputError("train.precision",
                     "'" + options.precision + "' with the reference engine, allowed: fp32");
  }
  return std::make_unique<ReferenceEngine>(network, options);
}

}  // namespace oida
