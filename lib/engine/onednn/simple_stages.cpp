#include "engine/onednn/simple_stages.hpp"

#include <cstring>

#include "engine/dropout.hpp"
#include "engine/onednn/elementwise.hpp"
#include "engine/onednn/pool.hpp"

namespace oida::onednn {

SimpleStage::SimpleStage(const SimpleLayer& layer, const Tensor& input)
    : Stage(input), layer_(layer) {
  output_.shape = layer.output;
  output_.channels = input.channels;
  output_.element = input.element;
}

std::vector<KernelLine> SimpleStage::forward_kernels() const {
  return {{layer_.name, "forward", "own"}};
}

std::vector<KernelLine> SimpleStage::backward_kernels() const {
  return {{layer_.name, "backward", "own"}};
}

MaxPoolStage::MaxPoolStage(const SimpleLayer& layer, const Tensor& input)
    : SimpleStage(layer, input) {
  output_.relu = input.relu;
}

void MaxPoolStage::forward(const Pass& /*pass*/) {
  max_pool_forward(input(), layer_.layer, output_, layer_.samples);
}

void* MaxPoolStage::backward(const Pass& /*pass*/, void* diff, void* spare) {
  max_pool_backward(input(), layer_.layer, output_, layer_.samples, diff, spare);
  return spare;
}

void AveragePoolStage::forward(const Pass& /*pass*/) {
  average_pool_forward(input(), layer_.layer, output_, layer_.samples);
}

void* AveragePoolStage::backward(const Pass& /*pass*/, void* diff, void* spare) {
  average_pool_backward(input(), layer_.layer, output_, layer_.samples, diff, spare);
  if (input().relu) mask_where_not_positive(input(), layer_.samples, spare);
  return spare;
}

ReluStage::ReluStage(const SimpleLayer& layer, const Tensor& input) : SimpleStage(layer, input) {
  output_.relu = true;
}

void ReluStage::forward(const Pass& /*pass*/) {
  relu_forward(input(), output_, layer_.samples);
}

void* ReluStage::backward(const Pass& /*pass*/, void* diff, void* /*spare*/) {
  return diff;
}

DropoutStage::DropoutStage(const SimpleLayer& layer, const Tensor& input)
    : SimpleStage(layer, input),
      keep_(static_cast<std::size_t>(layer.samples) * input.shape.size(), std::uint8_t{1}) {
  output_.relu = input.relu;
}

std::span<std::uint8_t> DropoutStage::keep_of(int n) {
  const std::size_t size = input().shape.size();
  return std::span(keep_).subspan(static_cast<std::size_t>(n) * size, size);
}

void DropoutStage::forward(const Pass& pass) {
  const std::size_t bytes = output_.sample_size() * size_of(output_.element);
  if (!pass.training) {
    std::memcpy(output_.data, input().data, static_cast<std::size_t>(layer_.samples) * bytes);
    return;
  }
#pragma omp parallel for schedule(static)
  for (int n = 0; n < pass.batch->n; ++n) {
    dropout_mask(*pass.batch, layer_.index, layer_.layer.rate, n, keep_of(n));
    dropout_sample(input(), keep_of(n), dropout_scale(layer_.layer.rate), n, input().data,
                   output_.data);
  }
}

void* DropoutStage::backward(const Pass& /*pass*/, void* diff, void* /*spare*/) {
#pragma omp parallel for schedule(static)
  for (int n = 0; n < layer_.samples; ++n) {
    dropout_sample(input(), keep_of(n), dropout_scale(layer_.layer.rate), n, diff, diff);
  }
  return diff;
}

}  // namespace oida::onednn
