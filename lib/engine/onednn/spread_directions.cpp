#include "engine/onednn/spread_directions.hpp"

#include "engine/onednn/elementwise.hpp"
#include "engine/onednn/spread_conv.hpp"
#include "engine/onednn/transposed_directions.hpp"
#include "engine/onednn/winograd_choice.hpp"

namespace oida::onednn {
namespace {

constexpr int kVector = 16;
constexpr const char* kName = "own products of rows";

class SpreadForward : public Forward {
 public:
  SpreadForward(Library& library, const SpreadShape& shape, const TrainedLayer& layer)
      : library_(library),
        shape_(shape),
        output_{layer.output, layer.output.c, layer.layer.relu, Element::f32, nullptr} {
    library.reserve_scratch(spread_scratch_size(shape) * sizeof(float));
  }

  std::string name() const override { return kName; }
  void run(const Tensor& source, const float* weight, const float* bias,
           const Outputs& outputs) override {
    spread_convolve(shape_, static_cast<const float*>(source.data), weight, bias,
                    static_cast<float*>(outputs.values), static_cast<float*>(library_.scratch()));
    if (!output_.relu) return;
    output_.data = outputs.values;
    relu_forward(output_, output_, shape_.samples);
  }

 private:
  Library& library_;
  SpreadShape shape_;
  Tensor output_;
};

class SpreadBackwardWeights : public BackwardWeights {
 public:
  SpreadBackwardWeights(Library& library, const SpreadShape& shape)
      : library_(library), shape_(shape) {
    library.reserve_scratch(spread_gradient_scratch_size(shape) * sizeof(float));
  }

  std::string name() const override { return kName; }
  void run(const Tensor& source, const Slopes& slopes, float* weight, float* bias) override {
    spread_gradient(shape_, static_cast<const float*>(source.data),
                    static_cast<const float*>(slopes.values), weight, bias,
                    static_cast<float*>(library_.scratch()));
  }

 private:
  Library& library_;
  SpreadShape shape_;
};

/// [side, in, side, out] of an array of [out, in, side, side].
dnnl::memory::desc weight_layout(const TrainedLayer& layer, const Tensor& input) {
  const dnnl::memory::dim out = layer.layer.out;
  const dnnl::memory::dim side = layer.layer.kernel;
  const dnnl::memory::dim row = side * out;
  return {{out, input.channels, side, side},
          dnnl::memory::data_type::f32,
          {1, row, row * input.channels, out}};
}

}  // namespace

bool spread_fits(const TrainedLayer& layer, const Tensor& input) {
  const Layer& conv = layer.layer;
  return winograd_runs_here() && input.element == Element::f32 &&
         conv.kind == LayerKind::conv_transpose && conv.kernel == conv.stride &&
         conv.out % kVector == 0 && input.channels % kVector == 0;
}

Directions spread_directions(Library& library, const TrainedLayer& layer, const Tensor& input) {
  const SpreadShape shape{layer.samples,   input.shape.h,      input.shape.w, input.channels,
                          layer.layer.out, layer.layer.kernel, layer.threads};
  Directions all = transposed_directions(library, layer, input, weight_layout(layer, input));
  all.forward = std::make_unique<SpreadForward>(library, shape, layer);
  all.backward_weights = std::make_unique<SpreadBackwardWeights>(library, shape);
  return all;
}

}  // namespace oida::onednn
