#include "engine/onednn/library_stage.hpp"

#include "engine/onednn/elementwise.hpp"

namespace oida::onednn {
namespace {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

/// Layouts of a layer; the library picks those of the weight and its gradient. Gradients of
/// activations have the element type of the input.
struct Layouts {
  Desc source, weight, weight_gradient, bias, output, output_gradient;
};

Layouts layouts(const TrainedLayer& layer, const Tensor& in, const Tensor& out, bool image) {
  Dims source{layer.samples, in.channels};
  Dims weight{layer.layer.out, in.channels};
  Dims output{layer.samples, out.channels};
  if (image) source.insert(source.end(), {in.shape.h, in.shape.w});
  if (layer.layer.kind == LayerKind::conv) {
    weight.insert(weight.end(), {layer.layer.kernel, layer.layer.kernel});
    output.insert(output.end(), {out.shape.h, out.shape.w});
  } else if (image) {
    weight.insert(weight.end(), {in.shape.h, in.shape.w});
  }
  const auto type = [](Element e) { return e == Element::f32 ? Type::f32 : Type::bf16; };
  const auto tag = [](const Dims& dims) { return dims.size() == 4 ? Tag::nhwc : Tag::nc; };
  return {{source, type(in.element), tag(source)},
          {weight, type(in.element), Tag::any},
          {weight, Type::f32, Tag::any},
          {{layer.layer.out}, Type::f32, Tag::x},
          {output, type(out.element), tag(output)},
          {output, type(in.element), tag(output)}};
}

}  // namespace

LibraryStage::LibraryStage(Library& library, const TrainedLayer& layer, const Tensor& input)
    : TrainedStage(layer, input), library_(library) {
  if (layer.layer.kind == LayerKind::conv) {
    make_conv(layer);
  } else {
    make_dense(layer);
  }
}

void LibraryStage::make_conv(const TrainedLayer& layer) {
  using namespace dnnl;
  const Layouts at = layouts(layer, input(), output_, true);
  const Dims stride{layer.layer.stride, layer.layer.stride};
  const Dims pad{layer.layer.pad, layer.layer.pad};
  const auto direct = algorithm::convolution_direct;
  const auto forward = [&](const Desc& output, bool relu) {
    return convolution_forward::primitive_desc({prop_kind::forward_training, direct, at.source,
                                                at.weight, at.bias, output, stride, pad, pad},
                                               attributes(relu), library_.engine());
  };
  const auto hint = forward(at.output_gradient, false);
  connect<convolution_forward, convolution_backward_data, convolution_backward_weights>(
      layer, forward(at.output, layer.layer.relu),
      {{direct, at.source, at.weight, at.output_gradient, stride, pad, pad},
       attributes(),
       library_.engine(),
       hint},
      {{direct, at.source, at.weight_gradient, at.bias, at.output_gradient, stride, pad, pad},
       attributes(),
       library_.engine(),
       hint});
}

void LibraryStage::make_dense(const TrainedLayer& layer) {
  using namespace dnnl;
  const bool image = input().shape.h * input().shape.w > 1;
  const Layouts at = layouts(layer, input(), output_, image);
  const auto forward = [&](const Desc& output, bool relu) {
    return inner_product_forward::primitive_desc(
        {prop_kind::forward_training, at.source, at.weight, at.bias, output}, attributes(relu),
        library_.engine());
  };
  const auto hint = forward(at.output_gradient, false);
  connect<inner_product_forward, inner_product_backward_data, inner_product_backward_weights>(
      layer, forward(at.output, layer.layer.relu),
      {{at.source, at.weight, at.output_gradient}, attributes(), library_.engine(), hint},
      {{at.source, at.weight_gradient, at.bias, at.output_gradient},
       attributes(),
       library_.engine(),
       hint});
}

template <typename Forward, typename Data, typename Weights>
void LibraryStage::connect(const TrainedLayer& layer,
                           const typename Forward::primitive_desc& forward,
                           const typename Data::primitive_desc& data,
                           const typename Weights::primitive_desc& weights) {
  weights_ = FlatWeights(weights.diff_weights_desc(), layer.weight, layer.bias, layer.offset);
  make_copy(forward_weight_, forward.weights_desc());
  forward_ = Call(library_, Forward(forward),
                  {{DNNL_ARG_SRC, forward.src_desc()},
                   {DNNL_ARG_WEIGHTS, forward.weights_desc()},
                   {DNNL_ARG_BIAS, forward.bias_desc()},
                   {DNNL_ARG_DST, forward.dst_desc()}});
  backward_weights_ = Call(library_, Weights(weights),
                           {{DNNL_ARG_SRC, weights.src_desc()},
                            {DNNL_ARG_DIFF_DST, weights.diff_dst_desc()},
                            {DNNL_ARG_DIFF_WEIGHTS, weights.diff_weights_desc()},
                            {DNNL_ARG_DIFF_BIAS, weights.diff_bias_desc()}});
  if (first()) return;
  make_copy(backward_weight_, data.weights_desc());
  backward_data_ = Call(library_, Data(data),
                        {{DNNL_ARG_DIFF_DST, data.diff_dst_desc()},
                         {DNNL_ARG_WEIGHTS, data.weights_desc()},
                         {DNNL_ARG_DIFF_SRC, data.diff_src_desc()}});
}

void LibraryStage::make_copy(Copy& copy, const Desc& wanted) {
  if (wanted == weights_.layout()) return;
  const dnnl::reorder::primitive_desc reorder(library_.engine(), weights_.layout(),
                                              library_.engine(), wanted, attributes());
  copy.reorder = Call(library_, dnnl::reorder(reorder),
                      {{DNNL_ARG_FROM, weights_.layout()}, {DNNL_ARG_TO, wanted}});
  copy.data = Buffer(wanted.get_size());
}

const void* LibraryStage::weight_for(Copy& copy, const float* flat) {
  const float* weight = weights_.weight(flat);
  if (!copy.reorder) return weight;
  copy.reorder.run(library_, {{DNNL_ARG_FROM, weight}, {DNNL_ARG_TO, copy.data.data()}});
  return copy.data.data();
}

void LibraryStage::forward(const Pass& pass) {
  forward_.run(library_, {{DNNL_ARG_SRC, input().data},
                          {DNNL_ARG_WEIGHTS, weight_for(forward_weight_, pass.parameters)},
                          {DNNL_ARG_BIAS, weights_.bias(pass.parameters)},
                          {DNNL_ARG_DST, output_.data}});
}

void* LibraryStage::backward(const Pass& pass, void* diff, void* spare) {
  weights_.clear_gaps(pass.gradient);
  backward_weights_.run(library_, {{DNNL_ARG_SRC, input().data},
                                   {DNNL_ARG_DIFF_DST, diff},
                                   {DNNL_ARG_DIFF_WEIGHTS, weights_.weight(pass.gradient)},
                                   {DNNL_ARG_DIFF_BIAS, weights_.bias(pass.gradient)}});
  if (first()) return diff;
  pass.progress(weights_.begin());
  backward_data_.run(library_, {{DNNL_ARG_DIFF_DST, diff},
                                {DNNL_ARG_WEIGHTS, weight_for(backward_weight_, pass.parameters)},
                                {DNNL_ARG_DIFF_SRC, spare}});
  if (input().relu) mask_where_not_positive(input(), samples(), spare);
  return spare;
}

std::vector<KernelLine> LibraryStage::forward_kernels() const {
  return {{name(), "forward", "library " + forward_.implementation()}};
}

std::vector<KernelLine> LibraryStage::backward_kernels() const {
  std::vector<KernelLine> lines{
      {name(), "backward weights", "library " + backward_weights_.implementation()}};
  if (!first()) {
    lines.push_back({name(), "backward data", "library " + backward_data_.implementation()});
  }
  return lines;
}

std::size_t LibraryStage::bytes() const {
  return forward_weight_.data.bytes() + backward_weight_.data.bytes();
}

}  // namespace oida::onednn
