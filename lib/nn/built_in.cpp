#include <array>

#include "core/error.hpp"
#include "nn/network.hpp"

namespace oida {
namespace {

struct BuiltIn {
  std::string name;
  std::vector<std::string> lines;
  Output output = Output::classes;
};

const std::vector<std::string>& plain_unet() {
  static const std::vector<std::string> lines = {"conv 32 3 relu",
                                                 "conv 32 3 relu as level1",
                                                 "max_pool 2",
                                                 "conv 64 3 relu",
                                                 "conv 64 3 relu as level2",
                                                 "max_pool 2",
                                                 "conv 128 3 relu",
                                                 "conv 128 3 relu",
                                                 "conv_transpose 64 2",
                                                 "concat level2",
                                                 "conv 64 3 relu",
                                                 "conv 64 3 relu",
                                                 "conv_transpose 32 2",
                                                 "concat level1",
                                                 "conv 32 3 relu",
                                                 "conv 32 3 relu"};
  return lines;
}

/// With a batch norm between every convolution and its relu.
std::vector<std::string> normed(const std::vector<std::string>& lines) {
  std::vector<std::string> result;
  for (const std::string& line : lines) {
    const auto relu = line.find(" relu");
    result.push_back(line.substr(0, relu));
    if (relu != std::string::npos) result.push_back("batch_norm" + line.substr(relu));
  }
  return result;
}

const std::array<BuiltIn, 5>& table() {
  static const std::array<BuiltIn, 5> known{{
      {"oceantda9",
       {"conv 32 3 relu", "conv 32 3 relu", "max_pool 2", "conv 64 3 relu", "conv 64 3 relu",
        "max_pool 2", "conv 128 3 relu", "dense 736 relu", "dropout 0.5"}},
      {"oceanlike",
       {"conv 32 3 relu", "conv 32 3 relu", "max_pool 2", "conv 64 3 relu", "conv 64 3 relu",
        "max_pool 2", "conv 128 3 relu", "max_pool 2", "dense 384 relu"}},
      {"unet", normed(plain_unet()), Output::dense},
      {"unet_plain", plain_unet(), Output::dense},
      {"cv_cnn",
       {"complex 3", "complex_conv 12 3 relu", "complex_max_pool 2", "complex_conv 24 3 relu",
        "complex_max_pool 2", "magnitude", "dense 128 relu"}},
  }};
  return known;
}

}  // namespace

Network built_in(const std::string& name, Shape input, int classes, Output output) {
  std::string known;
  for (const auto& network : table()) {
    if (network.name == name) {
      if (network.output != output) {
        throw InputError("model.output", std::string("network '") + name + "' has output " +
                                             (output == Output::dense ? "class" : "dense"));
      }
      Network built = from_lines(network.lines, input, classes, output);
      built.name = name;
      return built;
    }
    known += (known.empty() ? "" : ", ") + network.name;
  }
  throw InputError("model.name", "'" + name + "' is not known, allowed: " + known);
}

std::vector<std::string> built_in_names() {
  std::vector<std::string> names;
  for (const auto& network : table()) names.push_back(network.name);
  return names;
}

}  // namespace oida
