#include "oida/archive_read.hpp"

#include <cmath>
#include <map>

#include "core/error.hpp"

namespace oida {

namespace {

template <typename Values>
const Values& find(const std::map<std::string, Values>& all, const std::string& name) {
  const auto found = all.find(name);
  if (found == all.end()) throw InputError("checkpoint", "'" + name + "' is missing");
  return found->second;
}

}  // namespace

const std::vector<double>& numbers_of(const Archive& archive, const std::string& name,
                                      std::size_t at_least) {
  const auto& values = find(archive.numbers, name);
  if (values.size() < at_least) {
    throw InputError("checkpoint", "'" + name + "' has " + std::to_string(values.size()) +
                                       " numbers, not " + std::to_string(at_least));
  }
  return values;
}

const std::vector<float>& parameters_of(const Archive& archive, const std::string& name) {
  return find(archive.parameters, name);
}

const std::string& text_of(const Archive& archive, const std::string& name) {
  return find(archive.texts, name);
}

std::int64_t whole(double value, std::int64_t least, std::int64_t most) {
  const bool fits = value >= static_cast<double>(least) && value <= static_cast<double>(most) &&
                    value == std::floor(value);
  if (fits) return static_cast<std::int64_t>(value);
  throw InputError("checkpoint", "holds " + std::to_string(value) + "; allowed is a whole number " +
                                     std::to_string(least) + " to " + std::to_string(most));
}

}  // namespace oida
