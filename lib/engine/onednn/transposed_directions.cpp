#include "engine/onednn/transposed_directions.hpp"

#include "engine/onednn/library_calls.hpp"

namespace oida::onednn {
namespace {

using Desc = dnnl::memory::desc;
using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

/// A relu in a pass of its own: the library applies it to a deconvolution one value at a time.
class ThenRelu : public Forward {
 public:
  ThenRelu(std::unique_ptr<Forward> before, const Tensor& output, int samples)
      : before_(std::move(before)), output_(output), samples_(samples) {}

  std::string name() const override { return before_->name() + ", relu"; }
  std::size_t bytes() const override { return before_->bytes(); }
  void run(const Tensor& source, const float* weight, const float* bias,
           const Outputs& outputs) override {
    before_->run(source, weight, bias, outputs);
    output_.data = outputs.values;
    relu_forward(output_, output_, samples_);
  }

 private:
  std::unique_ptr<Forward> before_;
  Tensor output_;
  int samples_;
};

}  // namespace

Directions transposed_directions(Library& library, const TrainedLayer& layer, const Tensor& in,
                                 const std::optional<Desc>& layout) {
  using namespace dnnl;
  const Type type = type_of(in.element);
  const auto direct = algorithm::deconvolution_direct;
  const int side = layer.layer.kernel;
  const Desc source({layer.samples, in.channels, in.shape.h, in.shape.w}, type, Tag::nhwc);
  const Desc weight({layer.layer.out, in.channels, side, side}, type, Tag::any);
  const Desc weight_gradient(weight.dims(), Type::f32, Tag::any);
  const Desc bias({layer.layer.out}, Type::f32, Tag::x);
  const Desc output({layer.samples, layer.layer.out, layer.output.h, layer.output.w}, type,
                    Tag::nhwc);
  const memory::dims stride{layer.layer.stride, layer.layer.stride};
  const memory::dims pad{0, 0};
  const auto& engine = library.engine();
  const deconvolution_forward::primitive_desc forward(
      {prop_kind::forward_training, direct, source, weight, bias, output, stride, pad, pad},
      attributes(), engine);
  Directions all =
      connect<deconvolution_forward, deconvolution_backward_data, deconvolution_backward_weights>(
          library, layer, layout, forward,
          {{direct, source, weight, output, stride, pad, pad}, attributes(), engine, forward},
          {{direct, source, weight_gradient, bias, output, stride, pad, pad},
           attributes(),
           engine,
           forward});
  if (layer.layer.relu) {
    const Tensor whole{layer.output, layer.output.c, true, in.element, nullptr};
    all.forward = std::make_unique<ThenRelu>(std::move(all.forward), whole, layer.samples);
  }
  return all;
}

}  // namespace oida::onednn
