#pragma once
// HDF5 files as other makers write them, without the room under test.

#include <string>
#include <vector>

#include <hdf5.h>

namespace oida::testing {

/// Creates, fills and closes on destruction. Groups on a name's way are made.
class H5Writer {
 public:
  explicit H5Writer(const std::string& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)),
        links_(H5Pcreate(H5P_LINK_CREATE)) {
    H5Pset_create_intermediate_group(links_, 1);
  }
  ~H5Writer() {
    H5Pclose(links_);
    H5Fclose(file_);
  }
  H5Writer(const H5Writer&) = delete;
  H5Writer& operator=(const H5Writer&) = delete;

  void real(const std::string& name, hsize_t rows, hsize_t cols, const std::vector<float>& v) {
    write(name, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, {rows, cols}, v.data());
  }
  void bytes(const std::string& name, hsize_t rows, hsize_t cols, const std::vector<char>& v) {
    write(name, H5T_STD_U8LE, H5T_NATIVE_UCHAR, {rows, cols}, v.data());
  }
  void complex(const std::string& name, hsize_t rows, hsize_t cols, const std::vector<float>& v) {
    const hid_t type = H5Tcreate(H5T_COMPOUND, 8);
    H5Tinsert(type, "r", 0, H5T_IEEE_F32LE);
    H5Tinsert(type, "i", 4, H5T_IEEE_F32LE);
    write(name, type, type, {rows, cols}, v.data());
    H5Tclose(type);
  }
  void numbers(const std::string& name, const std::vector<double>& v) {
    write(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {v.size()}, v.data());
  }
  void texts(const std::string& name, const std::vector<std::string>& v, std::size_t length) {
    std::string all;
    for (const auto& text : v) all += text + std::string(length - text.size(), '\0');
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length);
    write(name, type, type, {v.size()}, all.data());
    H5Tclose(type);
  }

 private:
  void write(const std::string& name, hid_t stored, hid_t memory, const std::vector<hsize_t>& dims,
             const void* values) {
    const hid_t space = H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr);
    const hid_t set =
        H5Dcreate2(file_, name.c_str(), stored, space, links_, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Sclose(space);
  }

  hid_t file_;
  hid_t links_;
};

}  // namespace oida::testing
