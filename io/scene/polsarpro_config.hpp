#pragma once
// config.txt of a PolSARpro folder: "Nrow", the number, dashes, "Ncol", the number, dashes, ...

#include <optional>
#include <string>

namespace oida {

struct PolsarproSize {
  int rows = 0;
  int cols = 0;
};

/// Nothing when the folder has no config.txt; InputError naming it when Nrow or Ncol is missing or
/// is no size.
std::optional<PolsarproSize> read_polsarpro_config(const std::string& folder);

/// PolarType ("full", "pp1", ...); empty when it is not there. Real folders have it wrong.
std::string polsarpro_polar_type(const std::string& folder);

std::string polsarpro_config(PolsarproSize size);

}  // namespace oida
