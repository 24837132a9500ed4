#pragma once
// What every implementation of a convolution or dense layer has in common.

#include <string>

#include "engine/onednn/stage.hpp"
#include "engine/onednn/weights.hpp"

namespace oida::onednn {

/// One layer with parameters as the planner hands it on.
struct TrainedLayer {
  Layer layer;
  std::string name;  // "conv1", "dense2"
  Shape output;
  Parameter weight;
  Parameter bias;
  std::size_t offset = 0;  // where its parameters start in the flat array
  int samples = 0;         // of every batch
  bool first = false;      // nothing before it is trained: no gradient of its input
  bool last = false;       // its output is the logits: float32
};

class TrainedStage : public Stage {
 public:
  TrainedStage(const TrainedLayer& layer, const Tensor& input)
      : Stage(input), name_(layer.name), samples_(layer.samples), first_(layer.first) {
    output_.shape = layer.output;
    output_.channels = layer.output.c;
    output_.relu = layer.layer.relu;
    output_.element = layer.last ? Element::f32 : input.element;
  }

  const FlatWeights& weights() const { return weights_; }
  std::size_t gradient_begin() const override { return weights_.begin(); }

 protected:
  const std::string& name() const { return name_; }
  int samples() const { return samples_; }
  bool first() const { return first_; }

  FlatWeights weights_;

 private:
  std::string name_;
  int samples_;
  bool first_;
};

}  // namespace oida::onednn
