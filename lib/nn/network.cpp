#include "nn/network.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/error.hpp"
#include "core/rng.hpp"

namespace oida {
namespace {

constexpr const char* kKey = "model.layers";

bool is_window(LayerKind kind) {
  return kind == LayerKind::conv || kind == LayerKind::max_pool || kind == LayerKind::average_pool;
}

[[noreturn]] void refuse(std::size_t layer, const std::string& what) {
  throw InputError(kKey, "layer " + std::to_string(layer + 1) + ": " + what);
}

void check_window(std::size_t i, const Layer& layer) {
  if (layer.kernel < 1) refuse(i, "kernel is " + std::to_string(layer.kernel) + ", allowed: 1 up");
  if (layer.stride < 1) refuse(i, "stride is " + std::to_string(layer.stride) + ", allowed: 1 up");
  const int widest = layer.kind == LayerKind::conv ? layer.kernel - 1 : 0;
  if (layer.pad < 0 || layer.pad > widest) {
    refuse(i, "pad is " + std::to_string(layer.pad) + ", allowed: 0 to " + std::to_string(widest));
  }
}

void check_layer(std::size_t i, const Layer& layer) {
  const bool trained = layer.kind == LayerKind::conv || layer.kind == LayerKind::dense;
  if (trained && layer.out < 1) {
    refuse(i, "width is " + std::to_string(layer.out) + ", allowed: 1 up");
  }
  if (is_window(layer.kind)) check_window(i, layer);
  if (layer.kind == LayerKind::dropout && !(layer.rate >= 0.0F && layer.rate < 1.0F)) {
    refuse(i, "dropout rate is " + std::to_string(layer.rate) + ", allowed: 0 up to but not 1");
  }
}

int window_output(std::size_t i, const Layer& layer, int side) {
  const std::int64_t room = std::int64_t{side} + 2 * std::int64_t{layer.pad} - layer.kernel;
  if (room < 0) {
    refuse(i, "a window of " + std::to_string(layer.kernel) + " does not fit " +
                  std::to_string(side) + " px with pad " + std::to_string(layer.pad));
  }
  return static_cast<int>(room / layer.stride) + 1;
}

Shape output_shape(std::size_t i, const Layer& layer, const Shape& in) {
  if (layer.kind == LayerKind::dense) return {layer.out, 1, 1};
  if (!is_window(layer.kind)) return in;
  const int channels = layer.kind == LayerKind::conv ? layer.out : in.c;
  return {channels, window_output(i, layer, in.h), window_output(i, layer, in.w)};
}

void check_ends(const Network& network) {
  const Shape& in = network.input;
  if (in.c < 1 || in.h < 1 || in.w < 1) {
    throw InputError(kKey, "input of " + std::to_string(in.c) + " x " + std::to_string(in.h) +
                               " x " + std::to_string(in.w) + ", allowed: 1 up on each side");
  }
  if (network.classes < 2) {
    throw InputError(kKey, std::to_string(network.classes) + " classes, allowed: 2 up");
  }
  const bool closed = !network.layers.empty() && network.layers.back().kind == LayerKind::dense &&
                      network.layers.back().out == network.classes && !network.layers.back().relu;
  if (!closed) {
    throw InputError(
        kKey, "the last layer must be dense " + std::to_string(network.classes) + " without relu");
  }
}

void check_size(std::size_t i, const std::string& what, double size) {
  if (size > std::numeric_limits<int>::max()) refuse(i, "more than 2^31 - 1 " + what);
}

double values_of(const Shape& shape) {
  return static_cast<double>(shape.c) * shape.h * shape.w;
}

/// Weights that one output of the layer sees.
double fan_in_of(const Layer& layer, const Shape& in) {
  if (layer.kind == LayerKind::dense) return values_of(in);
  return layer.kind == LayerKind::conv ? static_cast<double>(in.c) * layer.kernel * layer.kernel
                                       : 0.0;
}

Parameter weight_of(const Layer& layer, const Shape& in, int index) {
  Parameter weight;
  weight.layer = index;
  weight.fan_in = static_cast<int>(fan_in_of(layer, in));
  weight.dims = layer.kind == LayerKind::conv
                    ? std::vector<int>{layer.out, in.c, layer.kernel, layer.kernel}
                    : std::vector<int>{layer.out, weight.fan_in};
  weight.size = static_cast<std::size_t>(layer.out) * static_cast<std::size_t>(weight.fan_in);
  return weight;
}

/// Multiplications and additions of one layer, one direction, one sample.
double layer_flops(const Layer& layer, const Shape& in, const Shape& out) {
  return 2.0 * values_of(out) * fan_in_of(layer, in);
}

std::vector<double> flops_by_layer(const Network& network) {
  const auto shape = shapes(network);
  std::vector<double> flops;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    flops.push_back(layer_flops(network.layers[i], shape[i], shape[i + 1]));
  }
  return flops;
}

}  // namespace

std::vector<Shape> shapes(const Network& network) {
  check_ends(network);
  check_size(0, "input values a sample", values_of(network.input));
  std::vector<Shape> all{network.input};
  bool flat = false;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    check_layer(i, layer);
    if (flat && is_window(layer.kind)) refuse(i, "no convolution or pool may follow a dense layer");
    check_size(i, "weights", fan_in_of(layer, all.back()) * layer.out);
    all.push_back(output_shape(i, layer, all.back()));
    check_size(i, "values a sample", values_of(all.back()));
    flat = flat || layer.kind == LayerKind::dense;
  }
  return all;
}

std::vector<Parameter> parameters(const Network& network) {
  const auto shape = shapes(network);
  std::vector<Parameter> all;
  std::size_t offset = 0;
  const auto add = [&](Parameter parameter, std::string name) {
    parameter.name = std::move(name);
    parameter.offset = offset;
    offset += parameter.size;
    all.push_back(std::move(parameter));
  };
  int convs = 0;
  int denses = 0;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const bool conv = layer.kind == LayerKind::conv;
    if (!conv && layer.kind != LayerKind::dense) continue;
    const std::string name =
        conv ? "conv" + std::to_string(++convs) : "dense" + std::to_string(++denses);
    Parameter bias{{}, {layer.out}, 0, static_cast<std::size_t>(layer.out), 0, static_cast<int>(i)};
    add(weight_of(layer, shape[i], static_cast<int>(i)), name + "/weight");
    add(std::move(bias), name + "/bias");
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
    if (arrays[a].fan_in == 0) continue;
    Random random(seed, Purpose::weights, a);
    const float bound = std::sqrt(6.0F / static_cast<float>(arrays[a].fan_in));
    const auto array = std::span(values).subspan(arrays[a].offset, arrays[a].size);
    std::ranges::generate(array, [&] { return bound * (2.0F * random.uniform() - 1.0F); });
  }
  return values;
}

double forward_flops(const Network& network) {
  double sum = 0.0;
  for (const double flops : flops_by_layer(network)) sum += flops;
  return sum;
}

double training_flops(const Network& network) {
  double sum = 0.0;
  bool first = true;
  for (const double flops : flops_by_layer(network)) {
    if (flops == 0.0) continue;
    sum += (first ? 2.0 : 3.0) * flops;
    first = false;
  }
  return sum;
}

}  // namespace oida
