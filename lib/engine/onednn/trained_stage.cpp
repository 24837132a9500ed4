#include "engine/onednn/trained_stage.hpp"

#include "engine/onednn/elementwise.hpp"
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
  if (pool_apart && !layer_.keeps) whole_.data = pass.spare;
  Outputs outputs{pool_apart ? whole_.data : output_.data};
  if (layer_.pooled && !pool_apart) outputs.taken = taken_.data();
  if (layer_.keeps && !pool_apart) outputs.whole = whole_.data;
  directions_.forward->run(input(), weights_.weight(pass.parameters),
                           weights_.bias(pass.parameters), outputs);
  if (pool_apart) halve(whole_, output_, layer_.samples, taken_.data());
}

bool TrainedStage::spreads_diff() const {
  if (!layer_.pooled) return false;
  const bool data = layer_.first || directions_.backward_data->pools();
  return !data || !directions_.backward_weights->pools();
}

/// What all who read the output before the pool but the pool itself hand back; null where nobody
/// does.
const void* TrainedStage::held_sum() const {
  if (whole_.held.empty()) return nullptr;
  void* sum = whole_.held.front();
  for (void* held : std::span(whole_.held).subspan(1)) {
    add_held(whole_, layer_.samples, held, sum);
  }
  return sum;
}

void* TrainedStage::backward(const Pass& pass, void* diff, void* spare) {
  Slopes slopes{diff, layer_.pooled ? taken_.data() : nullptr, held_sum()};
  if (spreads_diff()) {
    spread(output_, whole_, layer_.samples, diff, taken_.data(), spare);
    if (slopes.held != nullptr) add_held(whole_, layer_.samples, slopes.held, spare);
    std::swap(diff, spare);
    slopes = {diff};
  }
  weights_.clear_gaps(pass.gradient);
  directions_.backward_weights->run(input(), slopes, weights_.weight(pass.gradient),
                                    weights_.bias(pass.gradient));
  if (layer_.first) return diff;
  pass.progress(weights_.begin());
  directions_.backward_data->run(slopes, weights_.weight(pass.parameters), input(), spare);
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
