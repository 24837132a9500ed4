#include "engine/onednn/trained_stage.hpp"

#include "engine/onednn/half_pool.hpp"

namespace oida::onednn {

TrainedStage::TrainedStage(const TrainedLayer& layer, const Tensor& input, Directions directions)
    : Stage(input),
      layer_(layer),
      directions_(std::move(directions)),
      weights_(directions_.weight_layout, input, layer.weight, layer.bias, layer.offset),
      whole_{layer.output, layer.output.c, layer.layer.relu,
             layer.last ? Element::f32 : input.element, nullptr} {
  output_ = whole_;
  if (!layer.pooled) return;
  output_.shape.h /= 2;
  output_.shape.w /= 2;
  taken_.resize(static_cast<std::size_t>(layer.samples) * output_.sample_size());
}

void TrainedStage::forward(const Pass& pass) {
  const bool pool_apart = layer_.pooled && !directions_.forward->pools();
  std::uint8_t* taken = layer_.pooled && !pool_apart ? taken_.data() : nullptr;
  whole_.data = pool_apart ? pass.spare : output_.data;
  directions_.forward->run(input(), weights_.weight(pass.parameters),
                           weights_.bias(pass.parameters), whole_.data, taken);
  if (pool_apart) halve(whole_, output_, layer_.samples, taken_.data());
}

bool TrainedStage::spreads_diff() const {
  if (!layer_.pooled) return false;
  const bool data = layer_.first || directions_.backward_data->pools();
  return !data || !directions_.backward_weights->pools();
}

void* TrainedStage::backward(const Pass& pass, void* diff, void* spare) {
  const std::uint8_t* taken = layer_.pooled ? taken_.data() : nullptr;
  if (spreads_diff()) {
    spread(output_, whole_, layer_.samples, diff, taken_.data(), spare);
    std::swap(diff, spare);
    taken = nullptr;
  }
  weights_.clear_gaps(pass.gradient);
  directions_.backward_weights->run(input(), diff, taken, weights_.weight(pass.gradient),
                                    weights_.bias(pass.gradient));
  if (layer_.first) return diff;
  pass.progress(weights_.begin());
  directions_.backward_data->run(diff, taken, weights_.weight(pass.parameters), input(), spare);
  return spare;
}

std::vector<KernelLine> TrainedStage::forward_kernels() const {
  const std::string pool = layer_.pooled ? ", 2x2 max-pool" : "";
  return {{layer_.name, "forward", directions_.forward->name() + pool}};
}

std::vector<KernelLine> TrainedStage::backward_kernels() const {
  std::vector<KernelLine> lines{
      {layer_.name, "backward weights", directions_.backward_weights->name()}};
  if (!layer_.first) {
    lines.push_back({layer_.name, "backward data", directions_.backward_data->name()});
  }
  return lines;
}

std::size_t TrainedStage::bytes() const {
  const std::size_t data = layer_.first ? 0 : directions_.backward_data->bytes();
  return taken_.size() + directions_.forward->bytes() + directions_.backward_weights->bytes() +
         data;
}

}  // namespace oida::onednn
