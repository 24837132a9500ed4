#include "io/report/markdown.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace oida::markdown {

Json member(const Json& object, const std::string& key) {
  return object.is_object() && object.contains(key) ? object.at(key) : Json(nullptr);
}

std::string fixed(const Json& value, int digits, double factor, const char* unit) {
  if (!value.is_number() || !std::isfinite(value.get<double>())) return kNone;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f%s", digits, factor * value.get<double>(), unit);
  return text.data();
}

std::string percent(const Json& value) {
  return fixed(value, 2, 100, " %");
}

std::string cell(const Json& value) {
  if (value.is_null()) return kNone;
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  std::replace(text.begin(), text.end(), '\n', ' ');
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, 1, '\\');
  }
  return text;
}

std::string row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const auto& text : cells) line.append(" ").append(text).append(" |");
  return line + "\n";
}

std::string head(const std::vector<std::string>& names) {
  std::string rule = "|";
  for (std::size_t i = 0; i < names.size(); ++i) rule += i == 0 ? "---|" : "---:|";
  return row(names) + rule + "\n";
}

std::string picture(const std::string& title, const std::string& path) {
  return "![" + title + "](" + path + ")\n\n";
}

}  // namespace oida::markdown
