#include "engine/onednn/plan.hpp"

#include <map>
#include <string>

#include "engine/onednn/library_stage.hpp"
#include "engine/onednn/simple_stages.hpp"

namespace oida::onednn {
namespace {

/// A relu layer right after a convolution or dense layer becomes part of it.
std::vector<Layer> with_fused_relu(const std::vector<Layer>& layers, std::vector<int>& index) {
  std::vector<Layer> fused;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool trained = !fused.empty() && (fused.back().kind == LayerKind::conv ||
                                            fused.back().kind == LayerKind::dense);
    if (layers[i].kind == LayerKind::relu && trained) {
      fused.back().relu = true;
      continue;
    }
    fused.push_back(layers[i]);
    index.push_back(static_cast<int>(i));
  }
  return fused;
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
        samples_(options.max_batch),
        last_(static_cast<int>(network.layers.size()) - 1),
        input_(&input) {}

  void add(const Layer& layer, int index) {
    if (layer.kind == LayerKind::conv || layer.kind == LayerKind::dense) {
      add_trained(layer, index);
    } else {
      add_simple(layer, index);
    }
    input_ = &plan_.stages.back()->output();
  }

  Plan take() { return std::move(plan_); }

 private:
  void add_trained(const Layer& layer, int index) {
    const std::size_t next = 2 * plan_.trained.size();
    const Parameter& weight = parameters_[next];
    const std::string name = weight.name.substr(0, weight.name.find('/'));
    const TrainedLayer trained{
        layer,           name,     shape_after(index),    weight,        parameters_[next + 1],
        plan_.flat_size, samples_, plan_.trained.empty(), index == last_};
    auto stage = std::make_unique<LibraryStage>(library_, trained, *input_);
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
  int samples_;
  int last_;
  const Tensor* input_;
  std::map<LayerKind, int> counts_;
  Plan plan_;
};

}  // namespace

Plan make_plan(Library& library, const Network& network, const EngineOptions& options,
               const Tensor& input) {
  Planner planner(library, network, options, input);
  std::vector<int> index;
  const std::vector<Layer> layers = with_fused_relu(network.layers, index);
  for (std::size_t i = 0; i < layers.size(); ++i) planner.add(layers[i], index[i]);
  return planner.take();
}

}  // namespace oida::onednn
