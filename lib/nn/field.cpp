// How far a network looks, for applying it to parts of a scene.

#include <algorithm>
#include <numeric>

#include "core/error.hpp"
#include "nn/layer_rules.hpp"

namespace oida {
namespace {

/// Of one layer's output: pixels of the input from one of its pixels to the next, and how far
/// beyond its own pixels it looks.
struct Look {
  int pitch_px = 1;
  int reach_px = 0;
};

Look through_window(const Layer& layer, const Look& in) {
  const int sides = std::max(layer.pad, layer.kernel - 1 - layer.pad);
  return {in.pitch_px * layer.stride, in.reach_px + sides * in.pitch_px};
}

/// An output pixel stands for a part of an input pixel, or for several that overlap.
Look through_growth(std::size_t i, int kernel, int factor, const Look& in) {
  if (in.pitch_px % factor != 0) {
    refuse_layer(i, "grows by " + std::to_string(factor) + " what was not shrunk by it");
  }
  return {in.pitch_px / factor,
          in.reach_px + in.pitch_px * ((kernel - 1) / factor) + in.pitch_px - in.pitch_px / factor};
}

Look through(std::size_t i, const Layer& layer, const Look& in, const Look& with) {
  if (layer.kind == LayerKind::dense) refuse_layer(i, "a dense layer looks at all of its input");
  if (layer.kind == LayerKind::upsample) {
    return through_growth(i, layer.kernel, layer.kernel, in);
  }
  if (layer.kind == LayerKind::conv_transpose) {
    return through_growth(i, layer.kernel, layer.stride, in);
  }
  if (is_window(layer.kind)) return through_window(layer, in);
  return {in.pitch_px, std::max(in.reach_px, with.reach_px)};
}

}  // namespace

Field field_of(const Network& network) {
  const auto sources = skips(network);
  std::vector<Look> looks{{}};
  Field field;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const Look with = sources[i] < 0 ? Look{} : looks[static_cast<std::size_t>(sources[i]) + 1];
    looks.push_back(through(i, layer, looks.back(), with));
    field.step_px = std::lcm(field.step_px, looks.back().pitch_px);
    field.local = field.local && layer.kind != LayerKind::group_norm;
  }
  field.reach_px = looks.back().reach_px;
  return field;
}

}  // namespace oida
