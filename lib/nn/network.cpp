#include "nn/network.hpp"

#include <limits>
#include <map>

#include "core/error.hpp"
#include "nn/layer_rules.hpp"

namespace oida {
namespace {

constexpr const char* kKey = "model.layers";

/// The layer that a network must end in.
bool closes(const Network& network, const Layer& last) {
  const LayerKind kind = network.output == Output::dense ? LayerKind::conv : LayerKind::dense;
  return last.kind == kind && last.out == network.classes && !last.relu;
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
  if (network.layers.empty() || !closes(network, network.layers.back())) {
    const std::string kind = network.output == Output::dense ? "conv " : "dense ";
    throw InputError(
        kKey, "the last layer must be " + kind + std::to_string(network.classes) + " without relu");
  }
}

void check_dense(const Network& network, const Shape& last) {
  const Shape& in = network.input;
  if (network.output == Output::classes || (last.h == in.h && last.w == in.w)) return;
  throw InputError(kKey, "output of " + std::to_string(last.h) + " x " + std::to_string(last.w) +
                             " px from " + std::to_string(in.h) + " x " + std::to_string(in.w) +
                             " px: a dense output keeps the size");
}

void check_size(std::size_t i, const std::string& what, double size) {
  if (size > std::numeric_limits<int>::max()) refuse_layer(i, "more than 2^31 - 1 " + what);
}

/// Multiplications and additions of one layer, one direction, one sample.
double layer_flops(const Layer& layer, const Shape& in, const Shape& out) {
  if (layer.kind == LayerKind::conv_transpose) {
    return 2.0 * in.h * in.w * weights_of(layer, in);
  }
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

Output output_kind(const std::string& name) {
  if (name == "class") return Output::classes;
  if (name == "dense") return Output::dense;
  throw InputError("model.output", "'" + name + "' is not known, allowed: class, dense");
}

std::vector<int> skips(const Network& network) {
  std::vector<int> sources;
  std::map<std::string, int> named;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    sources.push_back(-1);
    if (layer.kind == LayerKind::concat) {
      const auto found = named.find(layer.with);
      if (found == named.end()) {
        refuse_layer(i, "no layer before it is named '" + layer.with + "'");
      }
      sources[i] = found->second;
    }
    const bool fresh = layer.as.empty() || named.emplace(layer.as, static_cast<int>(i)).second;
    if (!fresh) refuse_layer(i, "'" + layer.as + "' names an earlier layer already");
  }
  return sources;
}

std::vector<Shape> shapes(const Network& network) {
  check_ends(network);
  check_size(0, "input values a sample", values_of(network.input));
  const auto sources = skips(network);
  std::vector<Shape> all{network.input};
  bool flat = false;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const bool spatial = is_window(layer.kind) || layer.kind == LayerKind::upsample;
    if (flat && spatial) refuse_layer(i, "no convolution or pool may follow a dense layer");
    const Shape with = sources[i] < 0 ? Shape{} : all[static_cast<std::size_t>(sources[i]) + 1];
    const Shape in = all.back();
    all.push_back(output_shape(i, layer, in, with));
    check_size(i, "weights", weights_of(layer, in));
    check_size(i, "values a sample", values_of(all.back()));
    flat = flat || layer.kind == LayerKind::dense;
  }
  check_dense(network, all.back());
  return all;
}

std::size_t label_count(const Network& network) {
  if (network.output == Output::classes) return 1;
  return static_cast<std::size_t>(network.input.h) * static_cast<std::size_t>(network.input.w);
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
