#pragma once
// Versions of the program and of everything it stands on.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace oida::app {

nlohmann::ordered_json version_json();
/// The same as lines of text.
std::string version_text();

}  // namespace oida::app
