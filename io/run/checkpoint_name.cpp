#include "io/run/checkpoint_name.hpp"

#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "io/files.hpp"

namespace oida {
namespace {

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

template <typename Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

std::optional<CheckpointName> parse(const std::string& file) {
  CheckpointName name;
  std::string_view rest = file;
  if (!take(rest, "round-") || !take_number(rest, name.round)) return std::nullopt;
  if (take(rest, ".unit-") && !take_number(rest, name.unit)) return std::nullopt;
  if (!take(rest, ".h5")) return std::nullopt;
  name.part = !rest.empty();
  if (to_string(name) != file) return std::nullopt;
  return name;
}

}  // namespace

std::string to_string(const CheckpointName& name) {
  std::string text = "round-" + std::to_string(name.round);
  if (name.unit != kCommon) text += ".unit-" + std::to_string(name.unit);
  text += ".h5";
  return name.part ? part_name(text) : text;
}

std::vector<CheckpointName> checkpoint_names(const std::string& folder) {
  std::vector<CheckpointName> names;
  std::error_code error;
  std::filesystem::directory_iterator it(folder, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    if (const auto name = parse(it->path().filename().string())) names.push_back(*name);
  }
  return names;
}

}  // namespace oida
