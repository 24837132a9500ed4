#pragma once
// A network as a pure description: layers, shapes and parameters, no arithmetic.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace oida {

enum class LayerKind { conv, max_pool, average_pool, dense, relu, dropout };

/// One layer of a chain; which fields count depends on `kind`.
struct Layer {
  LayerKind kind = LayerKind::relu;
  int out = 0;        // conv: channels, dense: units
  int kernel = 0;     // conv, pools: side of the square window
  int stride = 1;     // conv, pools
  int pad = 0;        // conv: zeros on each side
  bool relu = false;  // conv, dense: relu follows, fused
  float rate = 0.0F;  // dropout: share set to zero; the rest is divided by 1 - rate

  bool operator==(const Layer&) const = default;
};

/// [c, h, w] of one sample.
struct Shape {
  int c = 0, h = 0, w = 0;

  std::size_t size() const {
    return static_cast<std::size_t>(c) * static_cast<std::size_t>(h) * static_cast<std::size_t>(w);
  }
  bool operator==(const Shape&) const = default;
};

/// The last layer is a dense layer of `classes` units without relu; softmax cross-entropy follows.
struct Network {
  std::string name;
  Shape input;
  int classes = 0;
  std::vector<Layer> layers;

  bool operator==(const Network&) const = default;
};

/// One trained array. Names are "conv1/weight", "dense2/bias" and so on, numbered by kind.
struct Parameter {
  std::string name;
  std::vector<int> dims;   // conv: out, in, kh, kw; dense: out, in (c, h, w order); bias: out
  std::size_t offset = 0;  // in the canonical flat array
  std::size_t size = 0;
  int fan_in = 0;  // 0: a bias
  int layer = 0;   // index into Network::layers
};

/// InputError names key model.name and the known names. All convolutions are 3x3 with relu, pad 1;
/// pools are max, 2x2, and drop an odd last row or column.
///   oceantda9   conv 32, conv 32, pool, conv 64, conv 64, pool, conv 128, dense 736 relu, dropout
///               0.5, dense classes: nine layers counted as conv, pool and dense. Its source does
///               not publish widths; these give 1,000,815 parameters at 9 x 15 x 15 and 15 classes.
///               Fits patches of 4 px and more.
///   oceanlike   conv 32, conv 32, pool, conv 64, conv 64, pool, conv 128, pool, dense 384 relu,
///               dense classes: the benchmark's network, 931,048 parameters at 9 x 32 x 32 and 8
///               classes.
Network built_in(const std::string& name, Shape input, int classes);
std::vector<std::string> built_in_names();

/// Layers from deck lines, InputError on a line that cannot be read or does not fit:
///   conv OUT KERNEL [stride N] [pad N] [relu]     pad defaults to KERNEL / 2
///   max_pool KERNEL [stride N] | average_pool KERNEL [stride N]    stride defaults to KERNEL
///   dense UNITS [relu] | relu | dropout RATE
/// A last line "dense classes" is added when it is not there.
Network from_lines(const std::vector<std::string>& lines, Shape input, int classes);
/// The same text back; from_lines(to_lines(n)) == n but for the name.
std::vector<std::string> to_lines(const Network& network);

/// Input shape, then the output shape of every layer: window sides (side + 2 pad - kernel) / stride
/// + 1, rounded down; dense [out, 1, 1], and no window after it. InputError when a layer does not
/// fit or a field is out of range, or when the last layer is not dense `classes`.
std::vector<Shape> shapes(const Network& network);

/// Trained arrays in canonical order: layer by layer, weight then bias.
std::vector<Parameter> parameters(const Network& network);
std::size_t parameter_count(const Network& network);

/// He initialisation (He et al. 2015, eq. 10), uniform in +-sqrt(6 / fan_in); biases 0. Keyed by
/// (seed, array, element).
std::vector<float> initial_parameters(const Network& network, std::uint64_t seed);

/// Multiplications and additions of conv and dense layers, forward, one sample.
double forward_flops(const Network& network);
/// Forward, backward-data (not of the first layer) and backward-weights, one sample.
double training_flops(const Network& network);

}  // namespace oida
