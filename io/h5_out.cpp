#include <algorithm>
#include <cstring>

#include "core/hash.hpp"
#include "io/files.hpp"
#include "io/h5.hpp"
#include "io/h5_types.hpp"

namespace oida {
namespace {

constexpr std::size_t kGrowth_bytes = std::size_t{1} << 20;

/// Creation properties without time stamps.
H5Handle timeless(hid_t kind) {
  H5Handle properties(H5Pcreate(kind), H5Pclose);
  if (H5Pset_obj_track_times(properties.get(), false) < 0) {
    throw Error("HDF5", "does not leave time stamps out");
  }
  return properties;
}

}  // namespace

H5Out::H5Out(const std::string& path) : path_(path) {
  start_h5();
  const H5Quiet quiet;
  const H5Handle creation = timeless(H5P_FILE_CREATE);
  const H5Handle access = h5_access();
  check(H5Pset_fapl_core(access.get(), kGrowth_bytes, false) >= 0, "cannot be made in memory");
  file_ = H5Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), H5Fclose);
  check(file_.valid(), "cannot be made");
}

H5Out::~H5Out() {
  const H5Quiet quiet;
  file_.close();
}

void H5Out::check(bool good, const std::string& what) const {
  if (!good) throw Error(path_, what);
}

void H5Out::make_group(const std::string& name) {
  const H5Quiet quiet;
  const H5Handle creation = timeless(H5P_GROUP_CREATE);
  for (std::size_t end = 0; end < name.size();) {
    end = std::min(name.find('/', end + 1), name.size());
    const std::string part = name.substr(0, end);
    if (H5Lexists(file_.get(), part.c_str(), H5P_DEFAULT) > 0) continue;
    const H5Handle group(
        H5Gcreate2(file_.get(), part.c_str(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), H5Gclose);
    check(group.valid(), "group " + part + " cannot be made");
  }
}

template <typename T>
void H5Out::write(const std::string& name, std::span<const T> values, const H5Dims& dims) {
  std::size_t count = 1;
  for (const hsize_t dim : dims) count *= dim;
  check(count == values.size(), name + " has not the size of its dimensions");
  write_bytes(name, h5_type<T>(), dims, values.data(), values.size_bytes());
}

template void H5Out::write(const std::string&, std::span<const float>, const H5Dims&);
template void H5Out::write(const std::string&, std::span<const double>, const H5Dims&);
template void H5Out::write(const std::string&, std::span<const std::uint8_t>, const H5Dims&);
template void H5Out::write(const std::string&, std::span<const std::uint64_t>, const H5Dims&);

void H5Out::write_texts(const std::string& name, std::span<const std::string> texts) {
  std::size_t longest = 1;
  for (const auto& text : texts) longest = std::max(longest, text.size());
  std::string bytes(texts.size() * longest, '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::copy(texts[i].begin(), texts[i].end(),
              bytes.begin() + static_cast<std::ptrdiff_t>(i * longest));
  }
  const H5Handle type = h5_text_type(longest);
  write_bytes(name, type.get(), {texts.size()}, bytes.data(), bytes.size());
}

void H5Out::write_bytes(const std::string& name, hid_t type, const H5Dims& dims, const void* bytes,
                        std::size_t size) {
  const H5Quiet quiet;
  if (const auto slash = name.rfind('/'); slash != std::string::npos) {
    make_group(name.substr(0, slash));
  }
  const H5Handle creation = timeless(H5P_DATASET_CREATE);
  const H5Handle space(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
                       H5Sclose);
  H5Handle dataset(H5Dcreate2(file_.get(), name.c_str(), type, space.get(), H5P_DEFAULT,
                              creation.get(), H5P_DEFAULT),
                   H5Dclose);
  const bool written = dataset.valid() && (size == 0 || H5Dwrite(dataset.get(), type, H5S_ALL,
                                                                 H5S_ALL, H5P_DEFAULT, bytes) >= 0);
  check(dataset.close() && written, "dataset " + name + " cannot be written");
  const std::span<const std::byte> seen(static_cast<const std::byte*>(bytes), size);
  attribute(name, kChecksumAttribute, hex(checksum(seen)));
}

void H5Out::attribute(const std::string& object, const std::string& name, const std::string& text) {
  const H5Quiet quiet;
  const H5Handle type = h5_text_type(text.size());
  const H5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const H5Handle attribute(H5Acreate_by_name(file_.get(), object.c_str(), name.c_str(), type.get(),
                                             space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
  check(attribute.valid() && H5Awrite(attribute.get(), type.get(), text.c_str()) >= 0,
        "attribute " + name + " cannot be written");
}

void H5Out::attribute(const std::string& object, const std::string& name, std::int64_t number) {
  const H5Quiet quiet;
  const H5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const H5Handle attribute(
      H5Acreate_by_name(file_.get(), object.c_str(), name.c_str(), H5T_STD_I64LE, space.get(),
                        H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  check(attribute.valid() && H5Awrite(attribute.get(), H5T_NATIVE_INT64, &number) >= 0,
        "attribute " + name + " cannot be written");
}

std::string_view H5Out::image() const {
  void* bytes = nullptr;
  check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) >= 0 &&
            H5Fget_vfd_handle(file_.get(), H5P_DEFAULT, &bytes) >= 0 && bytes != nullptr,
        "cannot be put together in memory");
  const ssize_t size = H5Fget_file_image(file_.get(), nullptr, 0);
  check(size > 0, "cannot be put together in memory");
  // The handle of the core driver is the address of its buffer (H5Pset_fapl_core).
  return {*static_cast<const char* const*>(bytes), static_cast<std::size_t>(size)};
}

void H5Out::close() {
  const H5Quiet quiet;
  write_whole_file(path_, image());
  check(file_.close(), "cannot be closed");
}

}  // namespace oida
