#include "io/scene/product_files.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "core/error.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

/// Names of the regular files of a folder, sorted.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->is_regular_file(error)) names.push_back(it->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string polarisation_in(std::string name) {
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    c = std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '-';
  }
  for (const std::string one : {"HH", "HV", "VH", "VV"}) {
    if (('-' + name + '-').find('-' + one + '-') != std::string::npos) return one;
  }
  return "";
}

}  // namespace

std::map<std::string, std::string> files_by_polarisation(const std::string& folder,
                                                         const std::string& ending) {
  std::map<std::string, std::string> files;
  for (const auto& name : names_in(folder)) {
    const fs::path path(name);
    const std::string polarisation = polarisation_in(path.stem().string());
    if (path.extension() != ending || polarisation.empty()) continue;
    const bool is_new = files.emplace(polarisation, (fs::path(folder) / path).string()).second;
    if (!is_new) throw InputError(folder, "holds several files of " + polarisation + ": " + name);
  }
  return files;
}

std::string only_file(const std::string& folder, const std::string& ending) {
  std::string found;
  for (const auto& name : names_in(folder)) {
    if (!name.ends_with(ending)) continue;
    if (!found.empty()) return "";
    found = (fs::path(folder) / name).string();
  }
  return found;
}

}  // namespace oida
