#include "engine/onednn/library_directions.hpp"

#include "engine/onednn/library_calls.hpp"
#include "engine/onednn/transposed_directions.hpp"

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

Layouts conv_layouts(const TrainedLayer& layer, const Tensor& in) {
  const Type type = type_of(in.element);
  const Dims source{layer.samples, in.channels, in.shape.h, in.shape.w};
  const Dims weight{layer.layer.out, in.channels, layer.layer.kernel, layer.layer.kernel};
  const Dims output{layer.samples, layer.layer.out, layer.output.h, layer.output.w};
  return {{source, type, Tag::nhwc},
          {weight, type, Tag::any},
          {weight, Type::f32, Tag::any},
          {{layer.layer.out}, Type::f32, Tag::x},
          {output, layer.last ? Type::f32 : type, Tag::nhwc},
          {output, type, Tag::nhwc}};
}

/// An image is one long row to a dense layer. In float32 the weight is [in, out], which the library
/// reads and writes in place in all directions; its blocked layouts were slower, measured.
Layouts dense_layouts(const TrainedLayer& layer, const Tensor& in) {
  const Type type = type_of(in.element);
  const auto length = static_cast<dnnl::memory::dim>(in.sample_size());
  const Dims weight{layer.layer.out, length};
  const Dims output{layer.samples, layer.layer.out};
  return {{{layer.samples, length}, type, Tag::nc},
          {weight, type, Tag::any},
          {weight, Type::f32, type == Type::f32 ? Tag::io : Tag::any},
          {{layer.layer.out}, Type::f32, Tag::x},
          {output, layer.last ? Type::f32 : type, Tag::nc},
          {output, type, Tag::nc}};
}

Directions conv_directions(Library& library, const TrainedLayer& layer, const Layouts& at,
                           const std::optional<Desc>& layout) {
  using namespace dnnl;
  const Dims stride{layer.layer.stride, layer.layer.stride};
  const Dims pad{layer.layer.pad, layer.layer.pad};
  const auto direct = algorithm::convolution_direct;
  const auto& engine = library.engine();
  const auto forward = [&](const Desc& output, bool relu) {
    return convolution_forward::primitive_desc({prop_kind::forward_training, direct, at.source,
                                                at.weight, at.bias, output, stride, pad, pad},
                                               attributes(relu), engine);
  };
  const auto hint = forward(at.output_gradient, false);
  return connect<convolution_forward, convolution_backward_data, convolution_backward_weights>(
      library, layer, layout, forward(at.output, layer.layer.relu),
      {{direct, at.source, at.weight, at.output_gradient, stride, pad, pad},
       attributes(),
       engine,
       hint},
      {{direct, at.source, at.weight_gradient, at.bias, at.output_gradient, stride, pad, pad},
       attributes(),
       engine,
       hint});
}

/// A description with the weight in `flat`, when the library has a good kernel for it.
template <typename Description, typename Make>
Description in_place_or_any(const Desc& any, const Desc& flat, const Make& make) {
  if (any.data.data_type == flat.data.data_type) {
    Description in_place = make(flat);
    const bool good = static_cast<bool>(in_place) &&
                      std::string(in_place.impl_info_str()).find("ref") == std::string::npos;
    if (good) return in_place;
  }
  return make(any);
}

/// The weights of dense layers are large and their sums few: a copy would cost as much as a third
/// of the arithmetic, so all directions read the flat array when they can.
Directions dense_directions(Library& library, const TrainedLayer& layer, const Layouts& at,
                            const std::optional<Desc>& layout) {
  using namespace dnnl;
  using Forward = inner_product_forward::primitive_desc;
  using Data = inner_product_backward_data::primitive_desc;
  using Weights = inner_product_backward_weights::primitive_desc;
  const auto& engine = library.engine();
  const auto forward = [&](const Desc& weight, const Desc& output, bool relu) {
    return Forward({prop_kind::forward_training, at.source, weight, at.bias, output},
                   attributes(relu), engine, true);
  };
  const Forward hint = forward(at.weight, at.output_gradient, false);
  const Weights weights(
      {at.source, layout.value_or(at.weight_gradient), at.bias, at.output_gradient}, attributes(),
      engine, hint);
  const Desc flat = weights.diff_weights_desc();
  const auto out = in_place_or_any<Forward>(at.weight, flat, [&](const Desc& weight) {
    return forward(weight, at.output, layer.layer.relu);
  });
  const auto data = in_place_or_any<Data>(at.weight, flat, [&](const Desc& weight) {
    return Data({at.source, weight, at.output_gradient}, attributes(), engine, hint, true);
  });
  return connect<inner_product_forward, inner_product_backward_data,
                 inner_product_backward_weights>(library, layer, flat, out, data, weights);
}

}  // namespace

Directions library_directions(Library& library, const TrainedLayer& layer, const Tensor& input,
                              const std::optional<Desc>& layout) {
  switch (layer.layer.kind) {
    case LayerKind::conv_transpose:
      return transposed_directions(library, layer, input, layout);
    case LayerKind::dense:
      return dense_directions(library, layer, dense_layouts(layer, input), layout);
    default:
      return conv_directions(library, layer, conv_layouts(layer, input), layout);
  }
}

}  // namespace oida::onednn
