#include "engine/onednn/winograd_directions.hpp"

#include <limits>

#include "engine/onednn/buffer.hpp"
#include "engine/onednn/winograd.hpp"
#include "engine/onednn/winograd_choice.hpp"

namespace oida::onednn {
namespace {

constexpr int kVector = 16;
constexpr const char* kName = "own winograd 4x4,3x3";

WinogradShape shape_of(const TrainedLayer& layer, const Tensor& input) {
  return {layer.samples, input.shape.h,   input.shape.w,   input.channels,
          input.shape.c, layer.layer.out, layer.layer.pad, layer.threads};
}

/// The way back is a convolution of the output's gradient.
WinogradShape back_shape_of(const TrainedLayer& layer, const Tensor& input) {
  const int out = layer.layer.out;
  return {layer.samples, layer.output.h, layer.output.w,      out,
          out,           input.channels, 2 - layer.layer.pad, layer.threads};
}

const float* floats(const void* data) {
  return static_cast<const float*>(data);
}

WinogradSource source_of(const Tensor& source) {
  if (!source.joined()) return {floats(source.data), nullptr};
  return {floats(source.first->data), nullptr, floats(source.second->data), source.first->channels};
}

WinogradSource diff_of(const Slopes& slopes) {
  WinogradSource source{floats(slopes.values), slopes.taken};
  source.added = floats(slopes.held);
  return source;
}

const float* relu_of(const Tensor& values) {
  return values.relu ? floats(values.data) : nullptr;
}

/// The way back has no floor; where `source` is joined it ends in two arrays.
WinogradFinish back_finish(const Tensor& source) {
  WinogradFinish finish;
  finish.lower = -std::numeric_limits<float>::infinity();
  finish.positive = relu_of(source.joined() ? *source.first : source);
  if (source.joined()) {
    finish.rest = {static_cast<float*>(source.second_diff), relu_of(*source.second),
                   source.first->channels};
  }
  return finish;
}

class WinogradForward : public Forward {
 public:
  WinogradForward(Library& library, const WinogradShape& shape, bool relu)
      : library_(library),
        shape_(shape),
        lower_(relu ? 0.0F : -std::numeric_limits<float>::infinity()),
        filter_(winograd_filter_size(shape) * sizeof(float)) {
    library.reserve_scratch(winograd_scratch_size(shape) * sizeof(float));
  }

  std::string name() const override { return kName; }
  bool pools() const override { return true; }
  std::size_t bytes() const override { return filter_.bytes(); }
  void run(const Tensor& source, const float* weight, const float* bias,
           const Outputs& outputs) override {
    auto* filter = static_cast<float*>(filter_.data());
    winograd_filter(shape_, weight, filter);
    winograd_convolve(shape_, source_of(source), filter,
                      {bias, lower_, nullptr, outputs.taken, static_cast<float*>(outputs.whole)},
                      static_cast<float*>(outputs.values), static_cast<float*>(library_.scratch()));
  }

 private:
  Library& library_;
  WinogradShape shape_;
  float lower_;
  Buffer filter_;
};

class WinogradBackwardWeights : public BackwardWeights {
 public:
  WinogradBackwardWeights(Library& library, const WinogradShape& shape)
      : library_(library), shape_(shape) {
    library.reserve_scratch(winograd_gradient_scratch_size(shape) * sizeof(float));
  }

  std::string name() const override { return kName; }
  bool pools() const override { return true; }
  void run(const Tensor& source, const Slopes& slopes, float* weight, float* bias) override {
    winograd_gradient(shape_, source_of(source), diff_of(slopes), weight, bias,
                      static_cast<float*>(library_.scratch()));
  }

 private:
  Library& library_;
  WinogradShape shape_;
};

class WinogradBackwardData : public BackwardData {
 public:
  WinogradBackwardData(Library& library, const WinogradShape& shape)
      : library_(library), shape_(shape), filter_(winograd_filter_size(shape) * sizeof(float)) {
    library.reserve_scratch(winograd_scratch_size(shape) * sizeof(float));
  }

  std::string name() const override { return kName; }
  bool pools() const override { return true; }
  std::size_t bytes() const override { return filter_.bytes(); }
  void run(const Slopes& slopes, const float* weight, const Tensor& source, void* result) override {
    auto* filter = static_cast<float*>(filter_.data());
    winograd_filter_back(shape_, weight, filter);
    winograd_convolve(shape_, diff_of(slopes), filter, back_finish(source),
                      static_cast<float*>(result), static_cast<float*>(library_.scratch()));
  }

 private:
  Library& library_;
  WinogradShape shape_;
  Buffer filter_;
};

}  // namespace

bool winograd_fits(const TrainedLayer& layer, const Tensor& input) {
  const Layer& conv = layer.layer;
  return winograd_runs_here() && input.element == Element::f32 && conv.kind == LayerKind::conv &&
         conv.kernel == 3 && conv.stride == 1 && conv.pad <= 2 && conv.out % kVector == 0 &&
         input.channels % kVector == 0;
}

Directions winograd_directions(Library& library, const TrainedLayer& layer, const Tensor& input) {
  Directions all;
  all.weight_layout = {{layer.layer.out, input.channels, 3, 3},
                       dnnl::memory::data_type::f32,
                       dnnl::memory::format_tag::hwio};
  const WinogradShape shape = shape_of(layer, input);
  all.forward = std::make_unique<WinogradForward>(library, shape, layer.layer.relu);
  all.backward_weights = std::make_unique<WinogradBackwardWeights>(library, shape);
  if (!layer.first) {
    all.backward_data =
        std::make_unique<WinogradBackwardData>(library, back_shape_of(layer, input));
  }
  return all;
}

}  // namespace oida::onednn
