#pragma once
// The files of a run as fuzz targets.

#include <string>
#include <vector>

namespace oida::fuzz {

std::vector<std::string> model_seeds();
void read_model_file(const std::string& bytes);

/// Byte 0 chooses the common file or that of unit 0; the others are whole.
std::vector<std::string> checkpoint_seeds();
void read_checkpoint_file(const std::string& bytes);

}  // namespace oida::fuzz
