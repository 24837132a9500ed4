// Networks from deck lines and back.

#include <charconv>
#include <sstream>
#include <system_error>

#include "core/error.hpp"
#include "nn/layer_rules.hpp"

namespace oida {
namespace {

/// The words of one line, taken from left to right.
class Words {
 public:
  explicit Words(const std::string& line) : line_(line) {
    std::istringstream stream(line);
    for (std::string word; stream >> word;) words_.push_back(word);
  }

  bool empty() const { return next_ == words_.size(); }

  /// Takes the next word when it is `word`.
  bool take(const std::string& word) {
    if (empty() || words_[next_] != word) return false;
    ++next_;
    return true;
  }

  template <typename Number>
  Number number(const std::string& what) {
    Number value{};
    const std::string text = empty() ? "" : words_[next_++];
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || code != std::errc() || end != text.data() + text.size()) {
      refuse(what + " must be a number, found '" + text + "'");
    }
    return value;
  }

  std::string name(const std::string& what) {
    if (empty()) refuse(what + " must be a name, found nothing");
    return words_[next_++];
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError("model.layers", "'" + line_ + "': " + what);
  }

  void expect_end(const std::string& allowed) const {
    if (!empty()) refuse("'" + words_[next_] + "' is not known here, allowed: " + allowed);
  }

 private:
  std::string line_;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

void read_stride(Words& words, Layer& layer, int usual) {
  layer.stride = words.take("stride") ? words.number<int>("stride") : usual;
}

Layer read_conv(Words& words, Layer layer) {
  const std::string name = word_of(layer.kind);
  layer.out = words.number<int>(name + " OUT");
  layer.kernel = words.number<int>(name + " KERNEL");
  if (layer.kind == LayerKind::conv_transpose) {
    read_stride(words, layer, layer.kernel);
  } else {
    read_stride(words, layer, 1);
    layer.pad = words.take("pad") ? words.number<int>("pad") : layer.kernel / 2;
  }
  layer.relu = words.take("relu");
  return layer;
}

/// What follows the first word of a line.
Layer read_fields(Words& words, LayerKind kind) {
  const std::string name = word_of(kind);
  Layer layer{.kind = kind};
  if (is_conv(kind)) return read_conv(words, layer);
  switch (kind) {
    case LayerKind::max_pool:
    case LayerKind::average_pool:
    case LayerKind::complex_max_pool:
      layer.kernel = words.number<int>(name + " KERNEL");
      read_stride(words, layer, layer.kernel);
      break;
    case LayerKind::upsample:
      layer.kernel = words.number<int>(name + " FACTOR");
      break;
    case LayerKind::dense:
      layer.out = words.number<int>(name + " UNITS");
      layer.relu = words.take("relu");
      break;
    case LayerKind::dropout:
      layer.rate = words.number<float>(name + " RATE");
      break;
    case LayerKind::group_norm:
      layer.groups = words.number<int>(name + " GROUPS");
      layer.relu = words.take("relu");
      break;
    case LayerKind::batch_norm:
      layer.relu = words.take("relu");
      break;
    case LayerKind::concat:
      layer.with = words.name("concat NAME");
      break;
    case LayerKind::complex:
      layer.reals = words.number<int>(name + " REALS");
      break;
    default:
      break;
  }
  return layer;
}

struct Form {
  LayerKind kind;
  const char* fields;
};

constexpr Form kForms[] = {{LayerKind::conv, " OUT KERNEL [stride N] [pad N] [relu]"},
                           {LayerKind::max_pool, " KERNEL [stride N]"},
                           {LayerKind::average_pool, " KERNEL [stride N]"},
                           {LayerKind::dense, " UNITS [relu]"},
                           {LayerKind::relu, ""},
                           {LayerKind::dropout, " RATE"},
                           {LayerKind::group_norm, " GROUPS [relu]"},
                           {LayerKind::batch_norm, " [relu]"},
                           {LayerKind::upsample, " FACTOR"},
                           {LayerKind::conv_transpose, " OUT KERNEL [stride N] [relu]"},
                           {LayerKind::concat, " NAME"},
                           {LayerKind::complex, " REALS"},
                           {LayerKind::complex_conv, " OUT KERNEL [stride N] [pad N] [relu]"},
                           {LayerKind::complex_max_pool, " KERNEL [stride N]"},
                           {LayerKind::mod_relu, ""},
                           {LayerKind::magnitude, ""}};

Layer read_line(const std::string& line) {
  Words words(line);
  std::string known;
  for (const Form& form : kForms) {
    const std::string word = word_of(form.kind);
    known += (known.empty() ? "" : ", ") + word;
    if (!words.take(word)) continue;
    Layer layer = read_fields(words, form.kind);
    if (words.take("as")) layer.as = words.name("as NAME");
    words.expect_end(word + form.fields + " [as NAME]");
    return layer;
  }
  words.refuse("unknown layer, allowed: " + known);
}

std::string text_of(float value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, result.ptr};
}

std::string option(const std::string& word, int value, int usual) {
  return value == usual ? "" : " " + word + " " + std::to_string(value);
}

std::string fields_of(const Layer& layer) {
  const std::string window = " " + std::to_string(layer.kernel);
  const std::string conv = " " + std::to_string(layer.out) + window;
  switch (layer.kind) {
    case LayerKind::conv:
    case LayerKind::complex_conv:
      return conv + option("stride", layer.stride, 1) + option("pad", layer.pad, layer.kernel / 2);
    case LayerKind::conv_transpose:
      return conv + option("stride", layer.stride, layer.kernel);
    case LayerKind::max_pool:
    case LayerKind::average_pool:
    case LayerKind::complex_max_pool:
      return window + option("stride", layer.stride, layer.kernel);
    case LayerKind::upsample:
      return window;
    case LayerKind::dense:
      return " " + std::to_string(layer.out);
    case LayerKind::dropout:
      return " " + text_of(layer.rate);
    case LayerKind::group_norm:
      return " " + std::to_string(layer.groups);
    case LayerKind::concat:
      return " " + layer.with;
    case LayerKind::complex:
      return " " + std::to_string(layer.reals);
    default:
      return "";
  }
}

std::string to_line(const Layer& layer) {
  return word_of(layer.kind) + fields_of(layer) + (layer.relu ? " relu" : "") +
         (layer.as.empty() ? "" : " as " + layer.as);
}

/// The layer that closes a network where its lines do not.
Layer closing_layer(int classes, Output output) {
  if (output == Output::dense) return {.kind = LayerKind::conv, .out = classes, .kernel = 1};
  return {.kind = LayerKind::dense, .out = classes};
}

bool is_closed(const Network& network, const Layer& closing) {
  if (network.layers.empty()) return false;
  const Layer& last = network.layers.back();
  return last.kind == closing.kind && last.out == closing.out && !last.relu;
}

}  // namespace

Network from_lines(const std::vector<std::string>& lines, Shape input, int classes, Output output) {
  Network network{"layers", input, classes, {}, output};
  for (const auto& line : lines) network.layers.push_back(read_line(line));
  const Layer closing = closing_layer(classes, output);
  if (!is_closed(network, closing)) network.layers.push_back(closing);
  shapes(network);
  return network;
}

std::vector<std::string> to_lines(const Network& network) {
  std::vector<std::string> lines;
  for (const auto& layer : network.layers) lines.push_back(to_line(layer));
  return lines;
}

}  // namespace oida
