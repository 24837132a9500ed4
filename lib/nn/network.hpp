#pragma once
// A network as a pure description: layers, shapes and parameters, no arithmetic.
// A chain of layers, one a line; `concat NAME` adds the channels of an earlier output.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace oida {

enum class LayerKind {
  conv,
  max_pool,
  average_pool,
  dense,
  relu,
  dropout,
  group_norm,
  batch_norm,
  upsample,
  conv_transpose,
  concat,
  complex,
  complex_conv,
  complex_max_pool,
  mod_relu,
  magnitude
};

/// One layer; which fields count depends on `kind`. A complex tensor of C channels is a real one of
/// 2 C: all real parts, then all imaginary parts; relu on it is CReLU (Trabelsi et al., ICLR 2018).
struct Layer {
  LayerKind kind = LayerKind::relu;
  int out = 0;            // convs: channels (complex_conv: complex ones), dense: units
  int kernel = 0;         // convs, pools: side of the square window; upsample: factor
  int stride = 1;         // convs, pools
  int pad = 0;            // conv, complex_conv: zeros on each side
  bool relu = false;      // convs, dense, norms: relu follows, fused
  float rate = 0.0F;      // dropout: share set to zero; the rest is divided by 1 - rate
  int groups = 0;         // group_norm: groups of equal size
  int reals = 0;          // complex: leading channels without an imaginary part
  std::string as = {};    // name of the output, for concat
  std::string with = {};  // concat: the earlier output whose channels follow

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

/// What one sample is asked for: its class, or the class of each of its pixels.
enum class Output { classes, dense };
/// "class" or "dense"; InputError names model.output.
Output output_kind(const std::string& name);

/// The last layer is a dense layer of `classes` units without relu; for Output::dense a convolution
/// of `classes` channels without relu that keeps the input's rows and columns. Softmax
/// cross-entropy follows.
struct Network {
  std::string name;
  Shape input;
  int classes = 0;
  std::vector<Layer> layers;
  Output output = Output::classes;

  bool operator==(const Network&) const = default;
};

/// One array of the flat parameters. Names are "conv1/weight", "dense2/bias" and so on, numbered by
/// kind.
///   conv            weight out, in, kh, kw; bias out
///   conv_transpose  weight out, in, kh, kw; bias out
///   dense           weight out, in (c, h, w order); bias out
///   complex_conv    weight 2 (real and imaginary parts), out, in, kh, kw; bias 2 out
///   group_norm      weight c, bias c: scale and shift of each channel
///   batch_norm      weight c, bias c, mean c, variance c: the last two are running moments
///   mod_relu        bias c / 2
struct Parameter {
  std::string name;
  std::vector<int> dims;
  std::size_t offset = 0;  // in the canonical flat array
  std::size_t size = 0;
  int fan_in = 0;       // weights that one output sees; 0: not drawn, starts as `start`
  int layer = 0;        // index into Network::layers
  float start = 0.0F;   // where fan_in is 0
  bool moment = false;  // not learned but averaged: see Engine::moments()
};

/// InputError names key model.name and the known names. In the first two all
/// convolutions are 3x3 with relu, pad 1; pools are max, 2x2, and drop an odd last row or column.
///   oceantda9   conv 32, conv 32, pool, conv 64, conv 64, pool, conv 128, dense 736 relu, dropout
///               0.5, dense classes: nine layers counted as conv, pool and dense. Its source does
///               not publish widths; these give 1,000,815 parameters at 9 x 15 x 15 and 15 classes.
///               Fits patches of 4 px and more.
///   oceanlike   conv 32, conv 32, pool, conv 64, conv 64, pool, conv 128, pool, dense 384 relu,
///               dense classes: the benchmark's network, 931,048 parameters at 9 x 32 x 32 and 8
///               classes.
///   unet        for Output::dense, rows and columns that 4 divides: levels of 32, 64 and 128
///               channels, two convolutions each, max-pools down, transposed convolutions of 2 px
///               up, skips (Ronneberger, Fischer, Brox, MICCAI 2015, at a smaller size and with
///               padding), batch norms before the relus (Ioffe, Szegedy, ICML 2015).
///   unet_plain  the same without norms.
///   cv_cnn      complex convolutions 3x3 of 12 and 24 channels with CReLU, pooled by magnitude,
///               magnitudes into dense 128 (after Zhang et al., IEEE TGRS 55 (2017) 7177): nine
///               features of T3 as six complex channels.
/// InputError on a network asked for another output than it is made for.
Network built_in(const std::string& name, Shape input, int classes,
                 Output output = Output::classes);
std::vector<std::string> built_in_names();

/// Layers from deck lines, InputError on a line that cannot be read or does not fit:
///   conv OUT KERNEL [stride N] [pad N] [relu]     pad defaults to KERNEL / 2
///   conv_transpose OUT KERNEL [stride N] [relu]   stride defaults to KERNEL, no padding
///   max_pool KERNEL [stride N] | average_pool KERNEL [stride N]    stride defaults to KERNEL
///   upsample FACTOR                               each pixel FACTOR x FACTOR times
///   dense UNITS [relu] | relu | dropout RATE
///   group_norm GROUPS [relu] | batch_norm [relu]
///   concat NAME                                   channels of the output called NAME follow
///   complex REALS                                 REALS real channels, then pairs of two
///   complex_conv OUT KERNEL [stride N] [pad N] [relu] | complex_max_pool KERNEL [stride N]
///   mod_relu | magnitude
/// Each may end in "as NAME", which names its output. A last line "dense classes" (Output::dense:
/// "conv classes 1") is added when it is not there.
Network from_lines(const std::vector<std::string>& lines, Shape input, int classes,
                   Output output = Output::classes);
/// The same text back; from_lines of it, with the same output, gives n but for the name.
std::vector<std::string> to_lines(const Network& network);

/// Input shape, then the output shape of every layer: window sides (side + 2 pad - kernel) / stride
/// + 1, rounded down; conv_transpose (side - 1) stride + kernel; dense [out, 1, 1], and no window
/// after it. InputError when a layer does not fit or a field is out of range, or when the last
/// layer is not that of Network.
std::vector<Shape> shapes(const Network& network);

/// Of each layer: that whose output a concat adds, else -1. InputError on an unknown name or one
/// given twice.
std::vector<int> skips(const Network& network);

/// Labels of one sample: 1, or one a pixel.
std::size_t label_count(const Network& network);

/// How a network may be applied to parts of a scene: what lies `reach_px` beyond a pixel does not
/// touch its result, where the part starts at a multiple of `step_px`. Norms over a sample
/// (group_norm) reach everywhere: `local` is false then.
struct Field {
  int reach_px = 0;
  int step_px = 1;
  bool local = true;
};
/// InputError for a network with a dense layer.
Field field_of(const Network& network);

/// Arrays in canonical order: layer by layer, weight then bias.
std::vector<Parameter> parameters(const Network& network);
std::size_t parameter_count(const Network& network);

/// He initialisation (He et al. 2015, eq. 10), uniform in +-sqrt(6 / fan_in); biases 0. Keyed by
/// (seed, array, element). Scales and running variances start at 1.
std::vector<float> initial_parameters(const Network& network, std::uint64_t seed);

/// Multiplications and additions of conv and dense layers, forward, one sample.
double forward_flops(const Network& network);
/// Forward, backward-data (not of the first layer) and backward-weights, one sample.
double training_flops(const Network& network);

}  // namespace oida
