#pragma once
// Files of a product by the polarisation in their names.

#include <map>
#include <string>
#include <vector>

namespace oida {

/// Files of a folder whose names hold HH, HV, VH or VV between separators (upper or lower case), by
/// polarisation; `ending` with its dot, empty for none. InputError when two claim the same one.
std::map<std::string, std::string> files_by_polarisation(const std::string& folder,
                                                         const std::string& ending);

/// The only file of a folder whose name ends so; empty when there is none or several.
std::string only_file(const std::string& folder, const std::string& ending);

template <typename Value>
std::vector<std::string> keys_of(const std::map<std::string, Value>& files) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : files) keys.push_back(key);
  return keys;
}

}  // namespace oida
