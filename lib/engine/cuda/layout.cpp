#include "engine/cuda/layout.hpp"

#include <algorithm>
#include <map>

#include "core/error.hpp"

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

bool is_trained(LayerKind kind) {
  return kind == LayerKind::conv || kind == LayerKind::dense;
}

bool is_known(LayerKind kind) {
  return is_trained(kind) || kind == LayerKind::max_pool || kind == LayerKind::average_pool ||
         kind == LayerKind::relu || kind == LayerKind::dropout;
}

void check_kinds(const Network& network) {
  if (network.output == Output::dense) {
    throw InputError("device.engine", "cuda has no dense output, allowed here: reference");
  }
  for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
    if (is_known(network.layers[layer].kind)) continue;
    throw InputError("device.engine", "cuda has no layer like '" + to_lines(network)[layer] +
                                          "', allowed: conv, max_pool, average_pool, dense, "
                                          "relu, dropout");
  }
}

/// Canonical [rows, c, taps] and flat [rows, taps, stride]: visit(canonical index, flat index).
template <typename Visit>
void for_each_weight(const Trained& array, Visit visit) {
  for (std::size_t row = 0; row < array.rows; ++row) {
    for (std::size_t c = 0; c < array.c; ++c) {
      for (std::size_t tap = 0; tap < array.taps; ++tap) {
        visit(array.canonical_weight + (row * array.c + c) * array.taps + tap,
              array.weight + (row * array.taps + tap) * array.stride + c);
      }
    }
  }
}

}  // namespace

int padded_channels(const Network& network) {
  return (network.input.c + kChannelBlock - 1) / kChannelBlock * kChannelBlock;
}

std::vector<Image> images(const Network& network) {
  check_kinds(network);
  const auto shape = shapes(network);
  std::vector<Image> images{{shape[0].c, padded_channels(network), shape[0].h, shape[0].w}};
  for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
    const Shape& out = shape[layer + 1];
    const int stride = is_trained(network.layers[layer].kind) ? out.c : images.back().stride;
    images.push_back({out.c, stride, out.h, out.w});
  }
  return images;
}

FlatLayout::FlatLayout(const Network& network) : canonical_size_(parameter_count(network)) {
  const auto image = images(network);
  for (const auto& parameter : parameters(network)) {
    if (parameter.fan_in == 0) {
      Trained& array = trained_.back();
      array.bias = array.weight + whole_lines(array.weight_size());
      array.canonical_bias = parameter.offset;
      size_ = array.bias + whole_lines(array.rows);
      continue;
    }
    const Image& in = image[count(parameter.layer)];
    const Layer& layer = network.layers[count(parameter.layer)];
    Trained array{.name = parameter.name.substr(0, parameter.name.find('/')),
                  .layer = parameter.layer,
                  .rows = count(layer.out),
                  .c = count(in.c),
                  .stride = count(in.stride),
                  .weight = size_,
                  .canonical_weight = parameter.offset};
    array.taps = layer.kind == LayerKind::conv ? count(layer.kernel) * count(layer.kernel)
                                               : count(in.h) * count(in.w);
    trained_.push_back(array);
  }
}

const Trained* FlatLayout::of_layer(std::size_t layer) const {
  const auto found = std::ranges::find(trained_, static_cast<int>(layer), &Trained::layer);
  return found == trained_.end() ? nullptr : &*found;
}

void FlatLayout::import_flat(std::span<const float> canonical, std::span<float> flat) const {
  std::ranges::fill(flat, 0.0F);
  for (const Trained& array : trained_) {
    for_each_weight(array, [&](std::size_t from, std::size_t to) { flat[to] = canonical[from]; });
    std::ranges::copy(canonical.subspan(array.canonical_bias, array.rows),
                      flat.subspan(array.bias).begin());
  }
}

void FlatLayout::export_flat(std::span<const float> flat, std::span<float> canonical) const {
  for (const Trained& array : trained_) {
    for_each_weight(array, [&](std::size_t to, std::size_t from) { canonical[to] = flat[from]; });
    std::ranges::copy(flat.subspan(array.bias, array.rows),
                      canonical.subspan(array.canonical_bias).begin());
  }
}

}  // namespace oida::cuda
