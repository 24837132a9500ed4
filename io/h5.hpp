#pragma once
// HDF5 with what this room needs: files that are whole or not there, equal content gives equal
// bytes, a checksum on every dataset, errors as oida::Error.

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hdf5.h>

#include "core/error.hpp"

namespace oida {

/// Owns one HDF5 identifier.
class H5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  H5Handle() = default;
  H5Handle(hid_t id, Close closer) : id_(id), close_(closer) {}
  H5Handle(H5Handle&& other) noexcept;
  H5Handle& operator=(H5Handle&& other) noexcept;
  ~H5Handle();

  bool valid() const { return id_ >= 0; }
  hid_t get() const { return id_; }
  /// Closes now; false when HDF5 reports a failure.
  bool close();

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

using H5Dims = std::vector<hsize_t>;

/// HDF5 is not thread-safe: held by every open file of this room, so that one thread at a time is
/// inside.
std::unique_lock<std::recursive_mutex> h5_turn();

/// A new file, put together in memory and written by close(): HDF5 1.10 crashes where a write to
/// the disk fails half-way. Groups on a name's way are made. Error naming the path.
class H5Out {
 public:
  explicit H5Out(const std::string& path);
  ~H5Out();  // a file that was not closed is not written
  H5Out(const H5Out&) = delete;
  H5Out& operator=(const H5Out&) = delete;

  template <typename T>  // float, double, std::uint8_t, std::uint64_t
  void write(const std::string& name, std::span<const T> values, const H5Dims& dims);
  void write_texts(const std::string& name, std::span<const std::string> texts);
  void make_group(const std::string& name);
  /// On the group or dataset `object`; "/" is the file.
  void attribute(const std::string& object, const std::string& name, const std::string& text);
  void attribute(const std::string& object, const std::string& name, std::int64_t number);
  /// Writes under another name, syncs, renames.
  void close();

 private:
  void check(bool good, const std::string& what) const;
  std::string_view image() const;
  void write_bytes(const std::string& name, hid_t type, const H5Dims& dims, const void* bytes,
                   std::size_t size);

  std::unique_lock<std::recursive_mutex> turn_ = h5_turn();
  std::string path_;
  H5Handle file_;
};

/// A file to read. Every dataset is held against its checksum, and its size against the file's
/// before memory is taken. Error naming the path, with the exit code given.
class H5In {
 public:
  H5In(const std::string& path, Exit exit);

  /// Names of the members of a group in ascending order.
  std::vector<std::string> members(const std::string& group) const;
  bool has(const std::string& name) const;
  template <typename T>
  std::vector<T> read(const std::string& name, H5Dims* dims = nullptr) const;
  std::vector<std::string> read_texts(const std::string& name) const;
  std::string text_attribute(const std::string& object, const std::string& name) const;
  std::int64_t number_attribute(const std::string& object, const std::string& name) const;
  /// Bytes of the whole file: nothing in it can be larger.
  std::uint64_t file_bytes() const { return file_bytes_; }
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  struct Dataset {
    H5Handle id, type;
    H5Dims dims;
    std::size_t bytes = 0;
  };
  Dataset open_dataset(const std::string& name) const;
  void read_bytes(const std::string& name, const Dataset& dataset, hid_t type, void* bytes) const;
  H5Handle open_attribute(const std::string& object, const std::string& name) const;

  std::unique_lock<std::recursive_mutex> turn_ = h5_turn();
  std::string path_;
  Exit exit_;
  std::uint64_t file_bytes_ = 0;
  H5Handle file_;
};

}  // namespace oida
