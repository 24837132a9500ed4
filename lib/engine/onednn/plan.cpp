#include "engine/onednn/plan.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "engine/onednn/choices.hpp"
#include "engine/onednn/complex_conv_stage.hpp"
#include "engine/onednn/complex_stages.hpp"
#include "engine/onednn/norm_stage.hpp"
#include "engine/onednn/resample_stages.hpp"
#include "engine/onednn/trained_stage.hpp"
#include "nn/layer_rules.hpp"

namespace oida::onednn {
namespace {

bool is_conv_or_dense(LayerKind kind) {
  return is_conv(kind) || kind == LayerKind::dense;
}

bool takes_relu(LayerKind kind) {
  return is_conv_or_dense(kind) || kind == LayerKind::group_norm || kind == LayerKind::batch_norm;
}

/// Layers of the network that are computed together: the first, and a relu and a pool after it.
struct Fused {
  Layer layer;
  int index = 0;  // in the network
  int last = 0;   // of what is fused to it
  bool pooled = false;
  int kept = -1;  // the layer whose output the pool reads, where others read it too
};

/// A relu right after a layer that can cut becomes part of it, and so does a 2x2 max-pool after a
/// convolution: relu and maximum may change places. What a concat adds remains.
std::vector<Fused> fuse(const Network& network) {
  const auto kept = skips(network);
  std::vector<Fused> fused;
  for (int i = 0; i < static_cast<int>(network.layers.size()); ++i) {
    const Layer& layer = network.layers[static_cast<std::size_t>(i)];
    const bool alone = i == 0 || std::ranges::find(kept, i - 1) == kept.end();
    const LayerKind before = fused.empty() ? layer.kind : fused.back().layer.kind;
    const bool halves = layer.kind == LayerKind::max_pool && layer.kernel == 2 && layer.stride == 2;
    const bool cuts = layer.kind == LayerKind::relu && takes_relu(before) && alone;
    if (cuts && !fused.empty() && fused.back().kept < 0) {
      fused.back().layer.relu = true;
    } else if (halves && before == LayerKind::conv && !fused.back().pooled) {
      fused.back().pooled = true;
      if (!alone) fused.back().kept = i - 1;
    } else {
      fused.push_back({layer, i});
    }
    fused.back().last = i;
  }
  return fused;
}

class Planner {
 public:
  Planner(Library& library, const Network& network, const EngineOptions& options,
          const Tensor& input)
      : library_(library),
        fused_(fuse(network)),
        skips_(skips(network)),
        shapes_(shapes(network)),
        choices_(options),
        samples_(options.max_batch),
        threads_(options.threads),
        input_(&input) {
    for (Parameter& array : parameters(network)) parameters_[array.layer].push_back(array);
  }

  Plan take() {
    for (at_ = 0; at_ < fused_.size(); ++at_) {
      plan_.stages.push_back(make());
      input_ = &plan_.stages.back()->output();
      outputs_[fused_[at_].last] = &plan_.stages.back()->output();
      if (fused_[at_].kept >= 0) outputs_[fused_[at_].kept] = plan_.stages.back()->kept();
      plan_.flat_size = std::max(plan_.flat_size, plan_.stages.back()->parameters_end());
    }
    return std::move(plan_);
  }

 private:
  TrainedLayer trained(const Fused& fused) {
    TrainedLayer layer;
    layer.layer = fused.layer;
    layer.name = name_of(fused.layer.kind, counts_[fused.layer.kind]);
    layer.output = shapes_[static_cast<std::size_t>(fused.index) + 1];
    layer.pooled = fused.pooled;
    layer.keeps = fused.kept >= 0;
    layer.weight = parameters_.at(fused.index).at(0);
    layer.bias = parameters_.at(fused.index).at(1);
    layer.offset = plan_.flat_size;
    layer.samples = samples_;
    layer.threads = threads_;
    layer.first = plan_.flat_size == 0;
    layer.last = fused.last + 2 == static_cast<int>(shapes_.size());
    return layer;
  }

  SimpleLayer simple(const Fused& fused) {
    return {fused.layer,
            name_of(fused.layer.kind, counts_[fused.layer.kind]),
            shapes_[static_cast<std::size_t>(fused.index) + 1],
            fused.index,
            samples_,
            plan_.flat_size == 0};
  }

  static std::string name_of(LayerKind kind, int number) {
    return word_of(kind) + std::to_string(number);
  }

  std::unique_ptr<Stage> make() {
    const Fused& fused = fused_[at_];
    ++counts_[fused.layer.kind];
    if (fused.layer.kind == LayerKind::complex_conv) return make_complex_conv(fused);
    if (fused.layer.kind == LayerKind::concat) return make_concat(fused);
    if (!is_conv_or_dense(fused.layer.kind)) return make_simple(simple(fused));
    const TrainedLayer layer = trained(fused);
    return std::make_unique<TrainedStage>(layer, *input_,
                                          choices_.directions(library_, layer, *input_));
  }

  std::unique_ptr<Stage> make_simple(const SimpleLayer& layer) {
    switch (layer.layer.kind) {
      case LayerKind::max_pool:
        return std::make_unique<MaxPoolStage>(layer, *input_);
      case LayerKind::average_pool:
        return std::make_unique<AveragePoolStage>(layer, *input_);
      case LayerKind::dropout:
        return std::make_unique<DropoutStage>(layer, *input_);
      case LayerKind::group_norm:
      case LayerKind::batch_norm:
        return std::make_unique<NormStage>(layer, *input_, arrays_of(layer));
      case LayerKind::upsample:
        return std::make_unique<UpsampleStage>(layer, *input_);
      case LayerKind::complex:
        return std::make_unique<ComplexStage>(layer, *input_);
      case LayerKind::complex_max_pool:
        return std::make_unique<ComplexPoolStage>(layer, *input_);
      case LayerKind::mod_relu:
        return std::make_unique<ModReluStage>(layer, *input_, arrays_of(layer));
      case LayerKind::magnitude:
        return std::make_unique<MagnitudeStage>(layer, *input_);
      default:
        return std::make_unique<ReluStage>(layer, *input_);
    }
  }

  ParameterArrays arrays_of(const SimpleLayer& layer) const {
    return {parameters_.at(layer.index), plan_.flat_size};
  }

  std::unique_ptr<Stage> make_complex_conv(const Fused& fused) {
    TrainedLayer real = trained(fused);
    real.layer = real_layer(fused.layer);
    const SimpleLayer layer = simple(fused);
    return std::make_unique<ComplexConvStage>(
        layer, *input_, arrays_of(layer),
        choices_.directions(library_, real, *input_,
                            ComplexConvStage::weight_layout(real.layer, *input_)));
  }

  std::unique_ptr<Stage> make_concat(const Fused& fused) {
    Tensor& with = *outputs_.at(skips_[static_cast<std::size_t>(fused.index)]);
    return std::make_unique<ConcatStage>(simple(fused), *input_, with, joins(fused, with));
  }

  /// Whether the next stage can read what a concat joins where it is, and nobody else reads it.
  bool joins(const Fused& fused, const Tensor& with) {
    const auto whole = [](const Tensor& tensor) {
      return tensor.shape.c == tensor.channels && tensor.channels % kJoinedChannels == 0;
    };
    const bool alone = std::ranges::find(skips_, fused.last) == skips_.end();
    if (!alone || !whole(*input_) || !whole(with) || at_ + 1 == fused_.size()) return false;
    const Fused& next = fused_[at_ + 1];
    if (next.layer.kind != LayerKind::conv) return false;
    Tensor both = *input_;
    both.shape.c = both.channels = input_->channels + with.channels;
    TrainedLayer reader = trained(next);
    reader.name = name_of(next.layer.kind, counts_[next.layer.kind] + 1);
    return choices_.reads_joined(reader, both);
  }

  static constexpr int kJoinedChannels = 16;

  Library& library_;
  std::vector<Fused> fused_;
  std::vector<int> skips_;
  std::map<int, std::vector<Parameter>> parameters_;  // by layer
  std::vector<Shape> shapes_;
  Choices choices_;
  int samples_;
  int threads_;
  const Tensor* input_;
  std::size_t at_ = 0;              // in fused_
  std::map<int, Tensor*> outputs_;  // by layer
  std::map<LayerKind, int> counts_;
  Plan plan_;
};

}  // namespace

Plan make_plan(Library& library, const Network& network, const EngineOptions& options,
               const Tensor& input) {
  return Planner(library, network, options, input).take();
}

}  // namespace oida::onednn
