#include "nn/layer_rules.hpp"

#include <algorithm>
#include <cstdint>

#include "core/error.hpp"

namespace oida {
namespace {

void check_from_one(std::size_t i, const char* what, int value) {
  if (value < 1) refuse_layer(i, what + (" is " + std::to_string(value)) + ", allowed: 1 up");
}

void check_window(std::size_t i, const Layer& layer) {
  check_from_one(i, "kernel", layer.kernel);
  check_from_one(i, "stride", layer.stride);
  const bool pads = layer.kind == LayerKind::conv || layer.kind == LayerKind::complex_conv;
  const int widest = pads ? layer.kernel - 1 : 0;
  if (layer.pad < 0 || layer.pad > widest) {
    refuse_layer(
        i, "pad is " + std::to_string(layer.pad) + ", allowed: 0 to " + std::to_string(widest));
  }
}

void check_layer(std::size_t i, const Layer& layer) {
  if (is_conv(layer.kind) || layer.kind == LayerKind::dense) check_from_one(i, "width", layer.out);
  if (is_window(layer.kind)) check_window(i, layer);
  if (layer.kind == LayerKind::upsample) check_from_one(i, "factor", layer.kernel);
  if (layer.kind == LayerKind::group_norm) check_from_one(i, "number of groups", layer.groups);
  if (layer.kind == LayerKind::dropout && !(layer.rate >= 0.0F && layer.rate < 1.0F)) {
    refuse_layer(i,
                 "dropout rate is " + std::to_string(layer.rate) + ", allowed: 0 up to but not 1");
  }
}

int window_output(std::size_t i, const Layer& layer, int side) {
  const std::int64_t room = std::int64_t{side} + 2 * std::int64_t{layer.pad} - layer.kernel;
  if (room < 0) {
    refuse_layer(i, "a window of " + std::to_string(layer.kernel) + " does not fit " +
                        std::to_string(side) + " px with pad " + std::to_string(layer.pad));
  }
  return static_cast<int>(room / layer.stride) + 1;
}

/// Sides beyond what an int holds end in the check of the tensor's size.
int grown_side(std::int64_t side) {
  return static_cast<int>(std::min<std::int64_t>(side, 1 << 30));
}

int pairs_of(std::size_t i, int channels) {
  if (channels % 2 != 0) {
    refuse_layer(i,
                 std::to_string(channels) + " channels are no complex tensor: put `complex` first");
  }
  return channels / 2;
}

int complex_channels(std::size_t i, const Layer& layer, const Shape& in) {
  const int paired = in.c - layer.reals;
  if (layer.reals < 0 || paired < 0 || paired % 2 != 0) {
    refuse_layer(i, std::to_string(layer.reals) + " of " + std::to_string(in.c) +
                        " channels are real: the others are not pairs");
  }
  return 2 * (layer.reals + paired / 2);
}

Shape joined(std::size_t i, const Layer& layer, const Shape& in, const Shape& with) {
  if (in.h != with.h || in.w != with.w) {
    refuse_layer(i, "'" + layer.with + "' has " + std::to_string(with.h) + " x " +
                        std::to_string(with.w) + " px, the layer before " + std::to_string(in.h) +
                        " x " + std::to_string(in.w));
  }
  return {in.c + with.c, in.h, in.w};
}

Shape grouped(std::size_t i, const Layer& layer, const Shape& in) {
  if (in.c % layer.groups == 0) return in;
  refuse_layer(i, std::to_string(in.c) + " channels do not make " + std::to_string(layer.groups) +
                      " groups of equal size");
}

Shape windowed(std::size_t i, const Layer& layer, const Shape& in) {
  int channels = layer.kind == LayerKind::conv ? layer.out : in.c;
  if (layer.kind == LayerKind::complex_conv) channels = 2 * layer.out;
  const bool paired =
      layer.kind == LayerKind::complex_conv || layer.kind == LayerKind::complex_max_pool;
  if (paired) pairs_of(i, in.c);
  return {channels, window_output(i, layer, in.h), window_output(i, layer, in.w)};
}

Shape spread(const Layer& layer, const Shape& in) {
  const auto side = [&](int from) {
    return grown_side((std::int64_t{from} - 1) * layer.stride + layer.kernel);
  };
  return {layer.out, side(in.h), side(in.w)};
}

}  // namespace

bool is_window(LayerKind kind) {
  return is_conv(kind) || kind == LayerKind::max_pool || kind == LayerKind::average_pool ||
         kind == LayerKind::complex_max_pool;
}

bool is_conv(LayerKind kind) {
  return kind == LayerKind::conv || kind == LayerKind::conv_transpose ||
         kind == LayerKind::complex_conv;
}

bool has_parameters(LayerKind kind) {
  return is_conv(kind) || kind == LayerKind::dense || kind == LayerKind::group_norm ||
         kind == LayerKind::batch_norm || kind == LayerKind::mod_relu;
}

const char* word_of(LayerKind kind) {
  switch (kind) {
    case LayerKind::conv:
      return "conv";
    case LayerKind::max_pool:
      return "max_pool";
    case LayerKind::average_pool:
      return "average_pool";
    case LayerKind::dense:
      return "dense";
    case LayerKind::relu:
      return "relu";
    case LayerKind::dropout:
      return "dropout";
    case LayerKind::group_norm:
      return "group_norm";
    case LayerKind::batch_norm:
      return "batch_norm";
    case LayerKind::upsample:
      return "upsample";
    case LayerKind::conv_transpose:
      return "conv_transpose";
    case LayerKind::concat:
      return "concat";
    case LayerKind::complex:
      return "complex";
    case LayerKind::complex_conv:
      return "complex_conv";
    case LayerKind::complex_max_pool:
      return "complex_max_pool";
    case LayerKind::mod_relu:
      return "mod_relu";
    case LayerKind::magnitude:
      return "magnitude";
  }
  throw Error("model.layers", "layer kind " + std::to_string(static_cast<int>(kind)));
}

Shape output_shape(std::size_t i, const Layer& layer, const Shape& in, const Shape& with) {
  check_layer(i, layer);
  switch (layer.kind) {
    case LayerKind::dense:
      return {layer.out, 1, 1};
    case LayerKind::conv_transpose:
      return spread(layer, in);
    case LayerKind::upsample:
      return {in.c, grown_side(std::int64_t{in.h} * layer.kernel),
              grown_side(std::int64_t{in.w} * layer.kernel)};
    case LayerKind::concat:
      return joined(i, layer, in, with);
    case LayerKind::group_norm:
      return grouped(i, layer, in);
    case LayerKind::complex:
      return {complex_channels(i, layer, in), in.h, in.w};
    case LayerKind::magnitude:
      return {pairs_of(i, in.c), in.h, in.w};
    case LayerKind::mod_relu:
      pairs_of(i, in.c);
      return in;
    default:
      return is_window(layer.kind) ? windowed(i, layer, in) : in;
  }
}

double values_of(const Shape& shape) {
  return static_cast<double>(shape.c) * shape.h * shape.w;
}

double fan_in_of(const Layer& layer, const Shape& in) {
  const double window = static_cast<double>(layer.kernel) * layer.kernel;
  switch (layer.kind) {
    case LayerKind::dense:
      return values_of(in);
    case LayerKind::conv:
    case LayerKind::complex_conv:
      return in.c * window;
    case LayerKind::conv_transpose: {
      const int taps = (layer.kernel + layer.stride - 1) / layer.stride;
      return static_cast<double>(in.c) * taps * taps;
    }
    default:
      return 0.0;
  }
}

double weights_of(const Layer& layer, const Shape& in) {
  const double seen = layer.kind == LayerKind::conv_transpose
                          ? static_cast<double>(in.c) * layer.kernel * layer.kernel
                          : fan_in_of(layer, in);
  return seen * layer.out;
}

void refuse_layer(std::size_t layer, const std::string& what) {
  throw InputError("model.layers", "layer " + std::to_string(layer + 1) + ": " + what);
}

}  // namespace oida
