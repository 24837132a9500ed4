// Networks from deck lines and back.

#include <charconv>
#include <sstream>
#include <system_error>

#include "core/error.hpp"
#include "nn/network.hpp"

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

Layer read_conv(Words& words) {
  Layer layer{.kind = LayerKind::conv};
  layer.out = words.number<int>("conv OUT");
  layer.kernel = words.number<int>("conv KERNEL");
  layer.pad = layer.kernel / 2;
  if (words.take("stride")) layer.stride = words.number<int>("stride");
  if (words.take("pad")) layer.pad = words.number<int>("pad");
  layer.relu = words.take("relu");
  words.expect_end("conv OUT KERNEL [stride N] [pad N] [relu]");
  return layer;
}

Layer read_pool(Words& words, LayerKind kind, const std::string& name) {
  Layer layer{.kind = kind};
  layer.kernel = words.number<int>(name + " KERNEL");
  layer.stride = layer.kernel;
  if (words.take("stride")) layer.stride = words.number<int>("stride");
  words.expect_end(name + " KERNEL [stride N]");
  return layer;
}

Layer read_dense(Words& words) {
  Layer layer{.kind = LayerKind::dense};
  layer.out = words.number<int>("dense UNITS");
  layer.relu = words.take("relu");
  words.expect_end("dense UNITS [relu]");
  return layer;
}

Layer read_dropout(Words& words) {
  Layer layer{.kind = LayerKind::dropout};
  layer.rate = words.number<float>("dropout RATE");
  words.expect_end("dropout RATE");
  return layer;
}

Layer read_line(const std::string& line) {
  Words words(line);
  if (words.take("conv")) return read_conv(words);
  if (words.take("max_pool")) return read_pool(words, LayerKind::max_pool, "max_pool");
  if (words.take("average_pool")) return read_pool(words, LayerKind::average_pool, "average_pool");
  if (words.take("dense")) return read_dense(words);
  if (words.take("dropout")) return read_dropout(words);
  if (words.take("relu")) {
    words.expect_end("relu");
    return {};
  }
  words.refuse("unknown layer, allowed: conv, max_pool, average_pool, dense, relu, dropout");
}

std::string text_of(float value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, result.ptr};
}

std::string option(const std::string& word, int value, int usual) {
  return value == usual ? "" : " " + word + " " + std::to_string(value);
}

std::string to_line(const Layer& layer) {
  const std::string relu = layer.relu ? " relu" : "";
  const std::string window =
      std::to_string(layer.kernel) + option("stride", layer.stride, layer.kernel);
  switch (layer.kind) {
    case LayerKind::conv:
      return "conv " + std::to_string(layer.out) + " " + std::to_string(layer.kernel) +
             option("stride", layer.stride, 1) + option("pad", layer.pad, layer.kernel / 2) + relu;
    case LayerKind::max_pool:
      return "max_pool " + window;
    case LayerKind::average_pool:
      return "average_pool " + window;
    case LayerKind::dense:
      return "dense " + std::to_string(layer.out) + relu;
    case LayerKind::dropout:
      return "dropout " + text_of(layer.rate);
    case LayerKind::relu:
      return "relu";
  }
  throw Error("model.layers", "layer kind " + std::to_string(static_cast<int>(layer.kind)));
}

}  // namespace

Network from_lines(const std::vector<std::string>& lines, Shape input, int classes) {
  Network network{"layers", input, classes, {}};
  for (const auto& line : lines) network.layers.push_back(read_line(line));
  const Layer last{.kind = LayerKind::dense, .out = classes};
  if (network.layers.empty() || network.layers.back() != last) network.layers.push_back(last);
  shapes(network);
  return network;
}

std::vector<std::string> to_lines(const Network& network) {
  std::vector<std::string> lines;
  for (const auto& layer : network.layers) lines.push_back(to_line(layer));
  return lines;
}

}  // namespace oida
