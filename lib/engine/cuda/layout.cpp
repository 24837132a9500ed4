#include "engine/cuda/layout.hpp"

#include <algorithm>

namespace oida::cuda {
namespace {

constexpr int kChannelBlock = 16;
constexpr std::size_t kLine = 16;  // floats

std::size_t whole_lines(std::size_t floats) {
  return (floats + kLine - 1) / kLine * kLine;
}

std::size_t count(int value) {
  return static_cast<std::size_t>(value);
}

/// Their channels are other ones than those that they read.
bool has_own_channels(LayerKind kind) {
  switch (kind) {
    case LayerKind::conv:
    case LayerKind::dense:
    case LayerKind::conv_transpose:
    case LayerKind::concat:
    case LayerKind::complex:
    case LayerKind::complex_conv:
    case LayerKind::magnitude:
      return true;
    default:
      return false;
  }
}

WeightOrder order_of(LayerKind kind) {
  if (kind == LayerKind::conv || kind == LayerKind::dense) return WeightOrder::outputs_first;
  return kind == LayerKind::conv_transpose ? WeightOrder::inputs_first : WeightOrder::canonical;
}

/// visit(canonical index, flat index)
template <typename Visit>
void for_each_weight(const Trained& trained, Visit visit) {
  const std::size_t all = trained.rows * trained.c * trained.taps;
  for (std::size_t k = 0; k < all; ++k) {
    const std::size_t tap = k % trained.taps;
    const std::size_t c = k / trained.taps % trained.c;
    const std::size_t row = k / trained.taps / trained.c;
    const std::size_t to = trained.order == WeightOrder::outputs_first
                               ? (row * trained.taps + tap) * trained.stride + c
                               : (c * trained.taps + tap) * trained.rows + row;
    visit(trained.weight.canonical + k, trained.weight.at + to);
  }
}

/// The same for every parameter of a layer.
template <typename Visit>
void for_each_value(const Trained& trained, Visit visit) {
  const bool turned = trained.order != WeightOrder::canonical;
  if (turned) for_each_weight(trained, visit);
  for (const FlatArray& array : {trained.weight, trained.bias, trained.mean, trained.variance}) {
    if (turned && array.at == trained.weight.at) continue;
    for (std::size_t k = 0; k < array.size; ++k) visit(array.canonical + k, array.at + k);
  }
}

FlatArray& array_called(const std::string& name, Trained& trained) {
  if (name == "weight") return trained.weight;
  if (name == "bias") return trained.bias;
  return name == "mean" ? trained.mean : trained.variance;
}

/// Floats of an array with the padding that kernels want.
std::size_t room_of(const Trained& trained, const Parameter& parameter, LayerKind kind) {
  if (parameter.fan_in == 0) return has_own_channels(kind) ? parameter.size : trained.stride;
  if (trained.order == WeightOrder::canonical) return parameter.size;
  return trained.rows * trained.taps * trained.stride;
}

}  // namespace

int padded_channels(const Network& network) {
  return (network.input.c + kChannelBlock - 1) / kChannelBlock * kChannelBlock;
}

std::vector<Image> images(const Network& network) {
  const auto shape = shapes(network);
  std::vector<Image> images{{shape[0].c, padded_channels(network), shape[0].h, shape[0].w}};
  for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
    const Shape& out = shape[layer + 1];
    const int stride = has_own_channels(network.layers[layer].kind) ? out.c : images.back().stride;
    images.push_back({out.c, stride, out.h, out.w});
  }
  return images;
}

FlatLayout::FlatLayout(const Network& network) : canonical_size_(parameter_count(network)) {
  const auto image = images(network);
  for (const auto& parameter : parameters(network)) {
    add(network, parameter, image[count(parameter.layer)]);
  }
}

void FlatLayout::add(const Network& network, const Parameter& parameter, const Image& in) {
  const Layer& layer = network.layers[count(parameter.layer)];
  const auto slash = parameter.name.find('/');
  if (trained_.empty() || trained_.back().layer != parameter.layer) {
    const std::size_t taps = layer.kind == LayerKind::dense ? count(in.h) * count(in.w)
                                                            : count(layer.kernel * layer.kernel);
    trained_.push_back({.name = parameter.name.substr(0, slash),
                        .layer = parameter.layer,
                        .order = order_of(layer.kind),
                        .rows = count(layer.out),
                        .taps = taps,
                        .c = count(in.c),
                        .stride = count(in.stride),
                        .begin = size_});
  }
  Trained& trained = trained_.back();
  FlatArray& array = array_called(parameter.name.substr(slash + 1), trained);
  array = {size_, room_of(trained, parameter, layer.kind), parameter.offset, parameter.size};
  size_ += whole_lines(array.room);
}

const Trained* FlatLayout::of_layer(std::size_t layer) const {
  const auto found = std::ranges::find(trained_, static_cast<int>(layer), &Trained::layer);
  return found == trained_.end() ? nullptr : &*found;
}

void FlatLayout::import_flat(std::span<const float> canonical, std::span<float> flat) const {
  std::ranges::fill(flat, 0.0F);
  for (const Trained& trained : trained_) {
    for_each_value(trained, [&](std::size_t from, std::size_t to) { flat[to] = canonical[from]; });
  }
}

void FlatLayout::export_flat(std::span<const float> flat, std::span<float> canonical) const {
  for (const Trained& trained : trained_) {
    for_each_value(trained, [&](std::size_t to, std::size_t from) { canonical[to] = flat[from]; });
  }
}

}  // namespace oida::cuda
