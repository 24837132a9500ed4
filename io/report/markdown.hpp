#pragma once
// Pieces of the Markdown that reports are written in.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace oida::markdown {

using Json = nlohmann::ordered_json;

/// Stands where there is no value.
inline constexpr const char* kNone = "–";

/// The member `key` of an object; null when it is not there.
Json member(const Json& object, const std::string& key);

/// factor x value with so many digits after the point, or kNone where it is no finite number.
std::string fixed(const Json& value, int digits, double factor = 1, const char* unit = "");
std::string percent(const Json& value);

/// A cell of a table: any JSON value as text that a table can hold.
std::string cell(const Json& value);
std::string row(const std::vector<std::string>& cells);
/// Names of the columns and the rule below them: the first to the left, the others to the right.
std::string head(const std::vector<std::string>& names);
std::string picture(const std::string& title, const std::string& path);

}  // namespace oida::markdown
