// The arrays of a network in canonical order, and what they start from.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/rng.hpp"
#include "nn/layer_rules.hpp"

namespace oida {
namespace {

Parameter drawn(std::vector<int> dims, double fan_in) {
  Parameter weight;
  weight.name = "weight";
  weight.dims = std::move(dims);
  weight.fan_in = static_cast<int>(fan_in);
  return weight;
}

Parameter fixed(const char* name, int size, float start, bool moment = false) {
  Parameter array;
  array.name = name;
  array.dims = {size};
  array.start = start;
  array.moment = moment;
  return array;
}

std::vector<Parameter> arrays_of(const Layer& layer, const Shape& in) {
  const double fan_in = fan_in_of(layer, in);
  const int side = layer.kernel;
  switch (layer.kind) {
    case LayerKind::conv:
    case LayerKind::conv_transpose:
      return {drawn({layer.out, in.c, side, side}, fan_in), fixed("bias", layer.out, 0.0F)};
    case LayerKind::complex_conv:
      return {drawn({2, layer.out, in.c / 2, side, side}, fan_in),
              fixed("bias", 2 * layer.out, 0.0F)};
    case LayerKind::dense:
      return {drawn({layer.out, static_cast<int>(fan_in)}, fan_in), fixed("bias", layer.out, 0.0F)};
    case LayerKind::group_norm:
      return {fixed("weight", in.c, 1.0F), fixed("bias", in.c, 0.0F)};
    case LayerKind::batch_norm:
      return {fixed("weight", in.c, 1.0F), fixed("bias", in.c, 0.0F),
              fixed("mean", in.c, 0.0F, true), fixed("variance", in.c, 1.0F, true)};
    case LayerKind::mod_relu:
      return {fixed("bias", in.c / 2, 0.0F)};
    default:
      return {};
  }
}

std::size_t product(const std::vector<int>& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::size_t{1},
                         [](std::size_t a, int b) { return a * static_cast<std::size_t>(b); });
}

}  // namespace

std::vector<Parameter> parameters(const Network& network) {
  const auto shape = shapes(network);
  std::vector<Parameter> all;
  std::size_t offset = 0;
  std::map<LayerKind, int> counts;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (!has_parameters(layer.kind)) continue;
    const std::string name = word_of(layer.kind) + std::to_string(++counts[layer.kind]) + "/";
    for (Parameter& array : arrays_of(layer, shape[i])) {
      array.name.insert(0, name);
      array.layer = static_cast<int>(i);
      array.size = product(array.dims);
      array.offset = offset;
      offset += array.size;
      all.push_back(std::move(array));
    }
  }
  return all;
}

std::size_t parameter_count(const Network& network) {
  const Parameter last = parameters(network).back();
  return last.offset + last.size;
}

std::vector<float> initial_parameters(const Network& network, std::uint64_t seed) {
  const auto arrays = parameters(network);
  std::vector<float> values(parameter_count(network), 0.0F);
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    const auto array = std::span(values).subspan(arrays[a].offset, arrays[a].size);
    if (arrays[a].fan_in == 0) {
      std::ranges::fill(array, arrays[a].start);
      continue;
    }
    Random random(seed, Purpose::weights, a);
    const float bound = std::sqrt(6.0F / static_cast<float>(arrays[a].fan_in));
    std::ranges::generate(array, [&] { return bound * (2.0F * random.uniform() - 1.0F); });
  }
  return values;
}

}  // namespace oida
