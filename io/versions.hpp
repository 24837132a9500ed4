#pragma once
// Versions of the libraries behind io.

#include <string>

namespace oida {

std::string hdf5_version();
std::string gdal_version();

}  // namespace oida
