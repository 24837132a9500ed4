#pragma once
// A file of raw samples, read by position.

#include <cstdint>
#include <string>

namespace oida {

/// InputError naming the file when it is no file that can be read; Error when reading fails.
class RawFile {
 public:
  explicit RawFile(const std::string& path);
  ~RawFile();
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t size_bytes() const { return size_bytes_; }
  std::int64_t bytes_read() const { return bytes_read_; }

  /// All of `bytes` from `offset` on; Error when the file ends before.
  void read(std::uint64_t offset, std::uint64_t bytes, void* out);
  /// Says that these bytes are wanted next, so that the system fetches them meanwhile.
  void expect(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_bytes_ = 0;
  std::int64_t bytes_read_ = 0;
};

}  // namespace oida
