#include "engine/onednn/library_directions.hpp"

#include "engine/onednn/buffer.hpp"
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

Type type_of(Element element) {
  return element == Element::f32 ? Type::f32 : Type::bf16;
}

Layouts conv_layouts(const TrainedLayer& layer, const Tensor& in) {
  const Type type = type_of(in.element);
  const Dims source{layer.samples, in.channels, in.shape.h, in.shape.w};
  const Dims weight{layer.layer.out, in.channels, layer.layer.kernel, layer.layer.kernel};
  const Dims output{layer.samples, layer.layer.out, layer.output.h, layer.output.w};
  return {{source, type, Tag::nhwc},     {weight, type, Tag::any},
          {weight, Type::f32, Tag::any}, {{layer.layer.out}, Type::f32, Tag::x},
          {output, type, Tag::nhwc},     {output, type, Tag::nhwc}};
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

/// A copy of the weight in another layout; none when both are the same.
class Copy {
 public:
  Copy(Library& library, const Desc& from, const Desc& to) {
    if (from == to) return;
    const dnnl::reorder::primitive_desc reorder(library.engine(), from, library.engine(), to,
                                                attributes());
    reorder_ = Call(library, dnnl::reorder(reorder), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    size_ = to.get_size();
  }

  explicit operator bool() const { return static_cast<bool>(reorder_); }
  std::size_t bytes() const { return size_; }
  void run(Library& library, const void* from, void* to) {
    reorder_.run(library, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  }

 private:
  Call reorder_;
  std::size_t size_ = 0;
};

/// The weight as a direction reads it.
class WeightReader {
 public:
  WeightReader(Library& library, const Desc& flat, const Desc& wanted)
      : copy_(library, flat, wanted), data_(copy_.bytes()) {}

  std::size_t bytes() const { return data_.bytes(); }
  const void* read(Library& library, const float* flat) {
    if (!copy_) return flat;
    copy_.run(library, flat, data_.data());
    return data_.data();
  }

 private:
  Copy copy_;
  Buffer data_;
};

template <typename Primitive>
class LibraryForward : public Forward {
 public:
  LibraryForward(Library& library, const typename Primitive::primitive_desc& description,
                 const Desc& flat)
      : library_(library),
        reader_(library, flat, description.weights_desc()),
        call_(library, Primitive(description),
              {{DNNL_ARG_SRC, description.src_desc()},
               {DNNL_ARG_WEIGHTS, description.weights_desc()},
               {DNNL_ARG_BIAS, description.bias_desc()},
               {DNNL_ARG_DST, description.dst_desc()}}) {}

  std::string name() const override { return "library " + call_.implementation(); }
  std::size_t bytes() const override { return reader_.bytes(); }
  void run(const void* source, const float* weight, const float* bias, void* output,
           std::uint8_t* /*taken*/) override {
    call_.run(library_, {{DNNL_ARG_SRC, source},
                         {DNNL_ARG_WEIGHTS, reader_.read(library_, weight)},
                         {DNNL_ARG_BIAS, bias},
                         {DNNL_ARG_DST, output}});
  }

 private:
  Library& library_;
  WeightReader reader_;
  Call call_;
};

template <typename Primitive>
class LibraryBackwardData : public BackwardData {
 public:
  LibraryBackwardData(Library& library, const typename Primitive::primitive_desc& description,
                      const Desc& flat, int samples)
      : library_(library),
        reader_(library, flat, description.weights_desc()),
        call_(library, Primitive(description),
              {{DNNL_ARG_DIFF_DST, description.diff_dst_desc()},
               {DNNL_ARG_WEIGHTS, description.weights_desc()},
               {DNNL_ARG_DIFF_SRC, description.diff_src_desc()}}),
        samples_(samples) {}

  std::string name() const override { return "library " + call_.implementation(); }
  std::size_t bytes() const override { return reader_.bytes(); }
  void run(const void* diff, const std::uint8_t* /*taken*/, const float* weight,
           const Tensor& source, void* result) override {
    call_.run(library_, {{DNNL_ARG_DIFF_DST, diff},
                         {DNNL_ARG_WEIGHTS, reader_.read(library_, weight)},
                         {DNNL_ARG_DIFF_SRC, result}});
    if (source.relu) mask_where_not_positive(source, samples_, result);
  }

 private:
  Library& library_;
  WeightReader reader_;
  Call call_;
  int samples_;
};

template <typename Primitive>
class LibraryBackwardWeights : public BackwardWeights {
 public:
  LibraryBackwardWeights(Library& library, const typename Primitive::primitive_desc& description,
                         const Desc& flat)
      : library_(library),
        copy_(library, description.diff_weights_desc(), flat),
        data_(copy_ ? description.diff_weights_desc().get_size() : 0),
        call_(library, Primitive(description),
              {{DNNL_ARG_SRC, description.src_desc()},
               {DNNL_ARG_DIFF_DST, description.diff_dst_desc()},
               {DNNL_ARG_DIFF_WEIGHTS, description.diff_weights_desc()},
               {DNNL_ARG_DIFF_BIAS, description.diff_bias_desc()}}) {}

  std::string name() const override { return "library " + call_.implementation(); }
  std::size_t bytes() const override { return data_.bytes(); }
  void run(const void* source, const void* diff, const std::uint8_t* /*taken*/, float* weight,
           float* bias) override {
    void* target = copy_ ? data_.data() : weight;
    call_.run(library_, {{DNNL_ARG_SRC, source},
                         {DNNL_ARG_DIFF_DST, diff},
                         {DNNL_ARG_DIFF_WEIGHTS, target},
                         {DNNL_ARG_DIFF_BIAS, bias}});
    if (copy_) copy_.run(library_, target, weight);
  }

 private:
  Library& library_;
  Copy copy_;
  Buffer data_;
  Call call_;
};

template <typename ForwardPrimitive, typename DataPrimitive, typename WeightsPrimitive>
Directions connect(Library& library, const TrainedLayer& layer, const std::optional<Desc>& layout,
                   const typename ForwardPrimitive::primitive_desc& forward,
                   const typename DataPrimitive::primitive_desc& data,
                   const typename WeightsPrimitive::primitive_desc& weights) {
  Directions all;
  const Desc flat = layout.value_or(weights.diff_weights_desc());
  all.weight_layout = flat;
  all.forward = std::make_unique<LibraryForward<ForwardPrimitive>>(library, forward, flat);
  all.backward_weights =
      std::make_unique<LibraryBackwardWeights<WeightsPrimitive>>(library, weights, flat);
  if (!layer.first) {
    all.backward_data =
        std::make_unique<LibraryBackwardData<DataPrimitive>>(library, data, flat, layer.samples);
  }
  return all;
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
  return layer.layer.kind == LayerKind::conv
             ? conv_directions(library, layer, conv_layouts(layer, input), layout)
             : dense_directions(library, layer, dense_layouts(layer, input), layout);
}

}  // namespace oida::onednn
