#include "io/scene/polsarpro_config.hpp"

#include <charconv>
#include <filesystem>
#include <sstream>

#include "core/error.hpp"
#include "io/files.hpp"

namespace oida {
namespace {

std::string trimmed(const std::string& line) {
  constexpr const char* kBlank = " \t\r";
  const auto first = line.find_first_not_of(kBlank);
  if (first == std::string::npos) return "";
  return line.substr(first, line.find_last_not_of(kBlank) - first + 1);
}

int size_from(const std::string& path, const std::string& key, const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1) {
    throw InputError(path, key + " is '" + text + "'; allowed is a number of pixels from 1 on");
  }
  return value;
}

std::string config_path(const std::string& folder) {
  return (std::filesystem::path(folder) / "config.txt").string();
}

}  // namespace

std::optional<PolsarproSize> read_polsarpro_config(const std::string& folder) {
  const std::string path = config_path(folder);
  if (!std::filesystem::exists(path)) return std::nullopt;
  std::istringstream file(read_text_file(path));
  PolsarproSize size;
  for (std::string line, value; std::getline(file, line);) {
    const std::string key = trimmed(line);
    if (key != "Nrow" && key != "Ncol") continue;
    std::getline(file, value);
    (key == "Nrow" ? size.rows : size.cols) = size_from(path, key, trimmed(value));
  }
  if (size.rows == 0 || size.cols == 0) {
    throw InputError(path, std::string(size.rows == 0 ? "Nrow" : "Ncol") + " is missing");
  }
  return size;
}

std::string polsarpro_polar_type(const std::string& folder) {
  const std::string path = config_path(folder);
  if (!std::filesystem::exists(path)) return "";
  std::istringstream file(read_text_file(path));
  for (std::string line, value; std::getline(file, line);) {
    if (trimmed(line) == "PolarType" && std::getline(file, value)) return trimmed(value);
  }
  return "";
}

std::string polsarpro_config(PolsarproSize size) {
  const std::string dashes = "---------\n";
  return "Nrow\n" + std::to_string(size.rows) + "\n" + dashes + "Ncol\n" +
         std::to_string(size.cols) + "\n" + dashes + "PolarCase\nmonostatic\n" + dashes +
         "PolarType\nfull\n";
}

}  // namespace oida
