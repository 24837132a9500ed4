#include "io/h5_types.hpp"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <system_error>

namespace oida {

H5Handle h5_text_type(std::size_t bytes) {
  H5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  if (H5Tset_size(type.get(), std::max<std::size_t>(bytes, 1)) < 0 ||
      H5Tset_cset(type.get(), H5T_CSET_UTF8) < 0 ||
      H5Tset_strpad(type.get(), H5T_STR_NULLPAD) < 0) {
    throw Error("HDF5", "has no type for text");
  }
  return type;
}

H5Handle h5_access() {
  H5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18) < 0 ||
      H5Pset_file_locking(access.get(), false, true) < 0) {
    throw Error("HDF5", "does not take its file access properties");
  }
  return access;
}

std::unique_lock<std::recursive_mutex> h5_turn() {
  static std::recursive_mutex mutex;
  return std::unique_lock(mutex);
}

void start_h5() {
  static std::once_flag once;
  std::call_once(once, [] {
    H5dont_atexit();
    if (H5set_free_list_limits(0, 0, 0, 0, 0, 0) < 0) {
      throw Error("HDF5", "does not take limits of its free lists");
    }
  });
  if (H5Lis_registered(H5L_TYPE_EXTERNAL) > 0 && H5Lunregister(H5L_TYPE_EXTERNAL) < 0) {
    throw Error("HDF5", "does not let go of links into other files");
  }
}

bool lies_in_its_file(hid_t dataset) {
  const H5Handle made(H5Dget_create_plist(dataset), H5Pclose);
  return made.valid() && H5Pget_external_count(made.get()) == 0 &&
         H5Pget_layout(made.get()) != H5D_VIRTUAL;
}

OpenedH5 open_h5(const std::string& path, Exit exit) {
  const auto refuse = [&](const std::string& what) {
    if (exit == Exit::refused) throw InputError(path, what);
    throw Error(path, what, exit);
  };
  std::error_code error;
  OpenedH5 out;
  out.bytes = std::filesystem::file_size(path, error);
  if (error) refuse("cannot be read: " + error.message());
  start_h5();
  const H5Quiet quiet;
  const H5Handle access = h5_access();
  out.file = H5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (!out.file.valid()) refuse("is damaged, cut off, or no HDF5 file");
  return out;
}

H5Quiet::H5Quiet() {
  H5Eget_auto2(H5E_DEFAULT, &printer_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

H5Quiet::~H5Quiet() {
  H5Eset_auto2(H5E_DEFAULT, printer_, data_);
}

}  // namespace oida
