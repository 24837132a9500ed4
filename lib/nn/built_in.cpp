#include <array>

#include "core/error.hpp"
#include "nn/network.hpp"

namespace oida {
namespace {

struct BuiltIn {
  std::string name;
  std::vector<std::string> lines;
};

const std::array<BuiltIn, 2>& table() {
  static const std::array<BuiltIn, 2> known{{
      {"oceantda9",
       {"conv 32 3 relu", "conv 32 3 relu", "max_pool 2", "conv 64 3 relu", "conv 64 3 relu",
        "max_pool 2", "conv 128 3 relu", "dense 736 relu", "dropout 0.5"}},
      {"oceanlike",
       {"conv 32 3 relu", "conv 32 3 relu", "max_pool 2", "conv 64 3 relu", "conv 64 3 relu",
        "max_pool 2", "conv 128 3 relu", "max_pool 2", "dense 384 relu"}},
  }};
  return known;
}

}  // namespace

Network built_in(const std::string& name, Shape input, int classes) {
  std::string known;
  for (const auto& network : table()) {
    if (network.name == name) {
      Network built = from_lines(network.lines, input, classes);
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
