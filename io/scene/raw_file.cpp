#include "io/scene/raw_file.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "io/files.hpp"

namespace oida {

RawFile::RawFile(const std::string& path) : path_(path) {
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw InputError(path, "cannot be read: " + system_error_text(errno));
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    throw InputError(path, "is not a file");
  }
  size_bytes_ = static_cast<std::uint64_t>(status.st_size);
}

RawFile::~RawFile() {
  ::close(descriptor_);
}

void RawFile::read(std::uint64_t offset, std::uint64_t bytes, void* out) {
  auto* to = static_cast<char*>(out);
  for (std::uint64_t done = 0; done < bytes;) {
    const ssize_t got =
        ::pread(descriptor_, to + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(path_, "cannot be read: " + system_error_text(errno));
    if (got == 0) {
      throw Error(path_, "ends at byte " + std::to_string(offset + done) + " of " +
                             std::to_string(offset + bytes) + " wanted");
    }
    done += static_cast<std::uint64_t>(got);
  }
  bytes_read_ += static_cast<std::int64_t>(bytes);
}

void RawFile::expect(std::uint64_t offset, std::uint64_t bytes) const {
  if (offset >= size_bytes_) return;
  // Only advice: that a file system does not take it changes nothing.
  (void)::posix_fadvise(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                        POSIX_FADV_WILLNEED);
}

}  // namespace oida
