#include <algorithm>
#include <utility>

#include "core/hash.hpp"
#include "io/h5.hpp"
#include "io/h5_types.hpp"

namespace oida {
namespace {

constexpr int kMostDims = 8;

herr_t keep_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->push_back(name);
  return 0;
}

std::string without_padding(const char* bytes, std::size_t size) {
  return {bytes, std::find(bytes, bytes + size, '\0')};
}

}  // namespace

H5In::H5In(const std::string& path, Exit exit) : path_(path), exit_(exit) {
  auto [file, bytes] = open_h5(path, exit);
  file_ = std::move(file);
  file_bytes_ = bytes;
}

void H5In::refuse(const std::string& what) const {
  throw Error(path_, what, exit_);
}

std::vector<std::string> H5In::members(const std::string& group) const {
  const H5Quiet quiet;
  std::vector<std::string> names;
  const H5Handle id(H5Gopen2(file_.get(), group.c_str(), H5P_DEFAULT), H5Gclose);
  if (!id.valid() ||
      H5Literate(id.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, keep_name, &names) < 0) {
    refuse("group " + group + " is missing or damaged");
  }
  return names;
}

bool H5In::has(const std::string& name) const {
  const H5Quiet quiet;
  return H5Lexists(file_.get(), name.c_str(), H5P_DEFAULT) > 0;
}

H5In::Dataset H5In::open_dataset(const std::string& name) const {
  Dataset out;
  out.id = H5Handle(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!out.id.valid()) refuse("dataset " + name + " is missing or damaged");
  if (!lies_in_its_file(out.id.get())) refuse("dataset " + name + " lies in other files");
  out.type = H5Handle(H5Dget_type(out.id.get()), H5Tclose);
  const H5Handle space(H5Dget_space(out.id.get()), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (!out.type.valid() || rank < 0 || rank > kMostDims) refuse("dataset " + name + " is damaged");
  out.dims.resize(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space.get(), out.dims.data(), nullptr);
  std::uint64_t bytes = H5Tget_size(out.type.get());
  for (const hsize_t dim : out.dims) {
    if (dim != 0 && bytes > file_bytes_ / dim)
      refuse("dataset " + name + " is larger than its file");
    bytes *= dim;
  }
  out.bytes = bytes;
  return out;
}

void H5In::read_bytes(const std::string& name, const Dataset& dataset, hid_t type,
                      void* bytes) const {
  if (dataset.bytes > 0 &&
      H5Dread(dataset.id.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0) {
    refuse("dataset " + name + " cannot be read");
  }
  const std::span<const std::byte> seen(static_cast<const std::byte*>(bytes), dataset.bytes);
  if (text_attribute(name, kChecksumAttribute) != hex(checksum(seen))) {
    refuse("dataset " + name + " is damaged: it does not match its checksum");
  }
}

template <typename T>
std::vector<T> H5In::read(const std::string& name, H5Dims* dims) const {
  const H5Quiet quiet;
  const Dataset dataset = open_dataset(name);
  if (H5Tequal(dataset.type.get(), h5_type<T>()) <= 0) {
    refuse("dataset " + name + " is of another type");
  }
  std::vector<T> values(dataset.bytes / sizeof(T));
  read_bytes(name, dataset, h5_type<T>(), values.data());
  if (dims != nullptr) *dims = dataset.dims;
  return values;
}

template std::vector<float> H5In::read(const std::string&, H5Dims*) const;
template std::vector<double> H5In::read(const std::string&, H5Dims*) const;
template std::vector<std::uint8_t> H5In::read(const std::string&, H5Dims*) const;
template std::vector<std::uint64_t> H5In::read(const std::string&, H5Dims*) const;

std::vector<std::string> H5In::read_texts(const std::string& name) const {
  const H5Quiet quiet;
  const Dataset dataset = open_dataset(name);
  if (H5Tget_class(dataset.type.get()) != H5T_STRING ||
      H5Tis_variable_str(dataset.type.get()) > 0) {
    refuse("dataset " + name + " is of another type");
  }
  std::string bytes(dataset.bytes, '\0');
  read_bytes(name, dataset, dataset.type.get(), bytes.data());
  const std::size_t length = H5Tget_size(dataset.type.get());
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < bytes.size(); at += length) {
    texts.push_back(without_padding(bytes.data() + at, length));
  }
  return texts;
}

H5Handle H5In::open_attribute(const std::string& object, const std::string& name) const {
  H5Handle attribute(
      H5Aopen_by_name(file_.get(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  if (!attribute.valid()) refuse("attribute " + name + " of " + object + " is missing");
  return attribute;
}

std::string H5In::text_attribute(const std::string& object, const std::string& name) const {
  const H5Quiet quiet;
  const H5Handle attribute = open_attribute(object, name);
  const H5Handle type(H5Aget_type(attribute.get()), H5Tclose);
  const std::size_t size = H5Tget_size(type.get());
  const bool text = H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) == 0;
  if (!text || size > file_bytes_) refuse("attribute " + name + " is no text");
  std::string bytes(size, '\0');
  if (H5Aread(attribute.get(), type.get(), bytes.data()) < 0) {
    refuse("attribute " + name + " cannot be read");
  }
  return without_padding(bytes.data(), bytes.size());
}

std::int64_t H5In::number_attribute(const std::string& object, const std::string& name) const {
  const H5Quiet quiet;
  const H5Handle attribute = open_attribute(object, name);
  const H5Handle type(H5Aget_type(attribute.get()), H5Tclose);
  std::int64_t number = 0;
  if (H5Tget_class(type.get()) != H5T_INTEGER ||
      H5Aread(attribute.get(), H5T_NATIVE_INT64, &number) < 0) {
    refuse("attribute " + name + " is no whole number");
  }
  return number;
}

}  // namespace oida
