#include "engine/onednn/plan.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "core/error.hpp"
#include "engine/onednn/choices.hpp"
#include "engine/onednn/simple_stages.hpp"

namespace oida::onednn {
namespace {

bool is_trained(const Layer& layer) {
  return layer.kind == LayerKind::conv || layer.kind == LayerKind::dense;
}

/// One layer of the network with what is computed together with it.
struct Fused {
  Layer layer;
  int index = 0;  // in the network
  bool pooled = false;
};

/// A relu right after a convolution or dense layer becomes part of it, and so does a 2x2 max-pool
/// after a convolution: relu and maximum may change places.
std::vector<Fused> fuse(const std::vector<Layer>& layers) {
  std::vector<Fused> fused;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    const bool follows = !fused.empty() && is_trained(fused.back().layer);
    const bool halves = layer.kind == LayerKind::max_pool && layer.kernel == 2 && layer.stride == 2;
    if (follows && layer.kind == LayerKind::relu) {
      fused.back().layer.relu = true;
    } else if (follows && halves && !fused.back().pooled) {
      fused.back().pooled = true;
    } else {
      fused.push_back({layer, static_cast<int>(i)});
    }
  }
  return fused;
}

constexpr LayerKind kKnown[] = {LayerKind::conv,  LayerKind::max_pool, LayerKind::average_pool,
                                LayerKind::dense, LayerKind::relu,     LayerKind::dropout};

void refuse_unknown(const Network& network) {
  if (network.output == Output::dense) {
    throw InputError("device.engine", "onednn has no dense output, allowed here: reference");
  }
  const auto lines = to_lines(network);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (std::ranges::find(kKnown, network.layers[i].kind) != std::end(kKnown)) continue;
    throw InputError("device.engine",
                     "onednn has no layer '" + lines[i] + "', allowed here: reference");
  }
}

const char* name_of(LayerKind kind) {
  switch (kind) {
    case LayerKind::max_pool:
      return "max_pool";
    case LayerKind::average_pool:
      return "average_pool";
    case LayerKind::dropout:
      return "dropout";
    default:
      return "relu";
  }
}

class Planner {
 public:
  Planner(Library& library, const Network& network, const EngineOptions& options,
          const Tensor& input)
      : library_(library),
        parameters_(parameters(network)),
        shapes_(shapes(network)),
        choices_(options),
        samples_(options.max_batch),
        threads_(options.threads),
        last_(static_cast<int>(network.layers.size()) - 1),
        input_(&input) {}

  void add(const Fused& fused) {
    if (is_trained(fused.layer)) {
      add_trained(fused);
    } else {
      add_simple(fused.layer, fused.index);
    }
    input_ = &plan_.stages.back()->output();
  }

  Plan take() { return std::move(plan_); }

 private:
  void add_trained(const Fused& fused) {
    const std::size_t next = 2 * plan_.trained.size();
    TrainedLayer layer;
    layer.layer = fused.layer;
    layer.weight = parameters_[next];
    layer.bias = parameters_[next + 1];
    layer.name = layer.weight.name.substr(0, layer.weight.name.find('/'));
    layer.output = shape_after(fused.index);
    layer.pooled = fused.pooled;
    layer.offset = plan_.flat_size;
    layer.samples = samples_;
    layer.threads = threads_;
    layer.first = plan_.trained.empty();
    layer.last = fused.index == last_;
    auto stage = std::make_unique<TrainedStage>(layer, *input_,
                                                choices_.directions(library_, layer, *input_));
    plan_.trained.push_back(stage.get());
    plan_.flat_size = stage->weights().end();
    plan_.stages.push_back(std::move(stage));
  }

  void add_simple(const Layer& layer, int index) {
    const std::string name = name_of(layer.kind) + std::to_string(++counts_[layer.kind]);
    const SimpleLayer simple{layer, name, shape_after(index), index, samples_};
    plan_.stages.push_back(make_simple(simple));
  }

  std::unique_ptr<Stage> make_simple(const SimpleLayer& layer) const {
    switch (layer.layer.kind) {
      case LayerKind::max_pool:
        return std::make_unique<MaxPoolStage>(layer, *input_);
      case LayerKind::average_pool:
        return std::make_unique<AveragePoolStage>(layer, *input_);
      case LayerKind::dropout:
        return std::make_unique<DropoutStage>(layer, *input_);
      default:
        return std::make_unique<ReluStage>(layer, *input_);
    }
  }

  const Shape& shape_after(int index) const { return shapes_[static_cast<std::size_t>(index) + 1]; }

  Library& library_;
  std::vector<Parameter> parameters_;
  std::vector<Shape> shapes_;
  Choices choices_;
  int samples_;
  int threads_;
  int last_;
  const Tensor* input_;
  std::map<LayerKind, int> counts_;
  Plan plan_;
};

}  // namespace

Plan make_plan(Library& library, const Network& network, const EngineOptions& options,
               const Tensor& input) {
  refuse_unknown(network);
  Planner planner(library, network, options, input);
  for (const Fused& fused : fuse(network.layers)) planner.add(fused);
  return planner.take();
}

}  // namespace oida::onednn
