#pragma once
// An archive that comes from a file of an unknown maker. All throw InputError("checkpoint: ...")
// that names what is wrong.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "oida/archive.hpp"

namespace oida {

const std::vector<double>& numbers_of(const Archive& archive, const std::string& name,
                                      std::size_t at_least);
const std::vector<float>& parameters_of(const Archive& archive, const std::string& name);
const std::string& text_of(const Archive& archive, const std::string& name);

/// A whole number from `least` to `most` that was kept as a double, exact up to 2^53.
std::int64_t whole(double value, std::int64_t least = 0,
                   std::int64_t most = std::int64_t{1} << std::numeric_limits<double>::digits);

}  // namespace oida
