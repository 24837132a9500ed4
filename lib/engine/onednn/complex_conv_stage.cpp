#include "engine/onednn/complex_conv_stage.hpp"

namespace oida::onednn {
namespace {

enum Array : std::size_t { kWeight, kBias };

}  // namespace

Layer real_layer(const Layer& layer) {
  Layer real = layer;
  real.kind = LayerKind::conv;
  real.out = 2 * layer.out;
  return real;
}

dnnl::memory::desc ComplexConvStage::weight_layout(const Layer& real, const Tensor& input) {
  return {{real.out, input.channels, real.kernel, real.kernel},
          dnnl::memory::data_type::f32,
          dnnl::memory::format_tag::hwio};
}

ComplexConvStage::ComplexConvStage(const SimpleLayer& layer, const Tensor& input,
                                   ParameterArrays arrays, Directions directions)
    : ArraysStage(layer, input, std::move(arrays)),
      directions_(std::move(directions)),
      taps_(static_cast<std::size_t>(layer.layer.kernel * layer.layer.kernel)),
      in_(static_cast<std::size_t>(input.shape.c / 2)),
      out_(static_cast<std::size_t>(layer.layer.out)),
      real_(weight_layout(real_layer(layer.layer), input).get_size()) {
  output_.channels = layer.output.c;
  output_.relu = layer.layer.relu;
}

std::size_t ComplexConvStage::bytes() const {
  const std::size_t data = layer_.first ? 0 : directions_.backward_data->bytes();
  return real_.bytes() + directions_.forward->bytes() + directions_.backward_weights->bytes() +
         data;
}

/// visit(place in part A, the same in B, then the real weights from u to A u, u to B u, v to - B v
/// and v to A v). Parts are [out, in, k, k].
template <typename Visit>
void ComplexConvStage::each_weight(const Visit& visit) const {
  const std::size_t part = out_ * in_ * taps_;
  const std::size_t row = 2 * out_;
  for (std::size_t o = 0; o < out_; ++o) {
    for (std::size_t i = 0; i < in_; ++i) {
      for (std::size_t tap = 0; tap < taps_; ++tap) {
        const std::size_t a = (o * in_ + i) * taps_ + tap;
        const std::size_t u = (tap * input().stride() + i) * row + o;
        const std::size_t v = u + in_ * row;
        visit(a, part + a, u, u + out_, v, v + out_);
      }
    }
  }
}

/// Padding channels of the input keep weights of zero.
void ComplexConvStage::expand(const float* parts) {
  const std::size_t padding = input().stride() - 2 * in_;
  for (std::size_t tap = 0; tap < taps_ && padding > 0; ++tap) {
    std::fill_n(real() + (tap * input().stride() + 2 * in_) * 2 * out_, padding * 2 * out_, 0.0F);
  }
  each_weight([&](std::size_t a, std::size_t b, std::size_t ua, std::size_t ub, std::size_t vb,
                  std::size_t va) {
    real()[ua] = real()[va] = parts[a];
    real()[ub] = parts[b];
    real()[vb] = -parts[b];
  });
}

/// Every part stands twice in the real weight: its gradient is the sum of both, with their signs.
void ComplexConvStage::fold(float* parts) const {
  each_weight([&](std::size_t a, std::size_t b, std::size_t ua, std::size_t ub, std::size_t vb,
                  std::size_t va) {
    parts[a] = real()[ua] + real()[va];
    parts[b] = real()[ub] - real()[vb];
  });
}

void ComplexConvStage::forward(const Pass& pass) {
  expand(arrays_.at(kWeight, pass.parameters));
  directions_.forward->run(input(), real(), arrays_.at(kBias, pass.parameters), {output_.data});
}

void* ComplexConvStage::backward(const Pass& pass, void* diff, void* spare) {
  arrays_.clear_gaps(pass.gradient);
  directions_.backward_weights->run(input(), {diff}, real(), arrays_.at(kBias, pass.gradient));
  fold(arrays_.at(kWeight, pass.gradient));
  if (layer_.first) return diff;
  pass.progress(arrays_.begin());
  expand(arrays_.at(kWeight, pass.parameters));
  directions_.backward_data->run({diff}, real(), input(), spare);
  return spare;
}

std::vector<KernelLine> ComplexConvStage::forward_kernels() const {
  return {{layer_.name, "forward", directions_.forward->name()}};
}

std::vector<KernelLine> ComplexConvStage::backward_kernels() const {
  std::vector<KernelLine> lines{
      {layer_.name, "backward weights", directions_.backward_weights->name()}};
  if (!layer_.first) {
    lines.push_back({layer_.name, "backward data", directions_.backward_data->name()});
  }
  return lines;
}

}  // namespace oida::onednn
