#pragma once
// Small things that writing and reading of HDF5 share.

#include <cstdint>
#include <string>

#include <hdf5.h>

#include "io/h5.hpp"

namespace oida {

/// The attribute that holds a dataset's XXH3 checksum, sixteen hexadecimal digits.
inline constexpr const char* kChecksumAttribute = "xxh3";

template <typename T>
hid_t h5_type();
template <>
inline hid_t h5_type<float>() {
  return H5T_IEEE_F32LE;
}
template <>
inline hid_t h5_type<double>() {
  return H5T_IEEE_F64LE;
}
template <>
inline hid_t h5_type<std::uint8_t>() {
  return H5T_STD_U8LE;
}
template <>
inline hid_t h5_type<std::uint64_t>() {
  return H5T_STD_U64LE;
}

/// UTF-8 text of a fixed number of bytes, at least one, filled up with zeros.
H5Handle h5_text_type(std::size_t bytes);

/// File access: formats of HDF5 1.8 (their metadata carry checksums), no file locks (files are
/// renamed into place, and network file systems often lack locks).
H5Handle h5_access();

/// A file to read and its bytes: nothing in it can be larger (but for compression). Error naming
/// the path, with the exit code given.
struct OpenedH5 {
  H5Handle file;
  std::uint64_t bytes = 0;
};
OpenedH5 open_h5(const std::string& path, Exit exit);

/// HDF5 1.10 leaves identifiers open when a damaged file makes it fail, and then complains on
/// stderr when the process ends: its clean-up at exit is switched off. Nothing is lost by that,
/// every file is closed where it is used. Links into other files lead nowhere from then on: no path
/// that a file names is followed. HDF5 keeps nothing of what it frees: its free lists would grow
/// from checkpoint to checkpoint.
void start_h5();

/// False where a dataset's values lie in files that it names (external storage, virtual datasets).
bool lies_in_its_file(hid_t dataset);

/// While it lives, HDF5 does not print its errors.
class H5Quiet {
 public:
  H5Quiet();
  ~H5Quiet();
  H5Quiet(const H5Quiet&) = delete;
  H5Quiet& operator=(const H5Quiet&) = delete;

 private:
  H5E_auto2_t printer_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace oida
