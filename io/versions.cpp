#include "io/versions.hpp"

#include <gdal.h>
#include <hdf5.h>

namespace oida {

std::string hdf5_version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

std::string gdal_version() {
  return GDALVersionInfo("RELEASE_NAME");
}

}  // namespace oida
