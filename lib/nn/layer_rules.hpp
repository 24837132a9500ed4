#pragma once
// What the files of this room ask of a layer.

#include <string>

#include "nn/network.hpp"

namespace oida {

/// Slides a window over its input.
bool is_window(LayerKind kind);
/// Two-dimensional convolution of whatever kind, transposed or not.
bool is_conv(LayerKind kind);
bool has_parameters(LayerKind kind);
/// Word of the text form: "conv", "max_pool".
const char* word_of(LayerKind kind);

/// Output of layer `i` (named in errors) from its input, and from what a concat adds. InputError
/// where a field is out of range or does not fit.
Shape output_shape(std::size_t i, const Layer& layer, const Shape& in, const Shape& with);

double values_of(const Shape& shape);
/// Weights that one output of the layer sees; 0 where it has none.
double fan_in_of(const Layer& layer, const Shape& in);

/// Numbers that are drawn for the layer's weight array; 0 where it has none.
double weights_of(const Layer& layer, const Shape& in);

[[noreturn]] void refuse_layer(std::size_t layer, const std::string& what);

}  // namespace oida
