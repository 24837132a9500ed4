#include "io/files.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "core/error.hpp"

namespace oida {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what, int error) {
  throw Error(path, what + ": " + system_error_text(error));
}

/// A file descriptor of its own.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags)
      : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (fd_ < 0) fail(path, "cannot be opened", errno);
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void write(std::string_view bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t n = ::write(fd_, bytes.data() + done, bytes.size() - done);
      if (n < 0 && errno != EINTR) fail(path_, "cannot be written", errno);
      if (n > 0) done += static_cast<std::size_t>(n);
    }
  }
  void sync() {
    // Some file systems cannot sync a folder and say EINVAL.
    if (::fsync(fd_) != 0 && errno != EINVAL) fail(path_, "cannot be synced", errno);
  }
  void close() {
    const int fd = fd_;
    fd_ = -1;
    if (::close(fd) != 0) fail(path_, "cannot be closed", errno);
  }

 private:
  std::string path_;
  int fd_;
};

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

std::string system_error_text(int error) {
  return std::generic_category().message(error);
}

std::string part_name(const std::string& path) {
  return path + ".part";
}

void publish(const std::string& path) {
  const std::string part = part_name(path);
  Descriptor file(part, O_RDONLY);
  file.sync();
  file.close();
  if (::rename(part.c_str(), path.c_str()) != 0) fail(path, "cannot be renamed into place", errno);
  Descriptor folder(folder_of(path), O_RDONLY | O_DIRECTORY);
  folder.sync();
}

void write_whole_file(const std::string& path, std::string_view bytes) {
  try {
    Descriptor file(part_name(path), O_WRONLY | O_CREAT | O_TRUNC);
    file.write(bytes);
    file.close();
    publish(path);
  } catch (const Error&) {
    ::unlink(part_name(path).c_str());
    throw;
  }
}

std::string read_whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  if (file) bytes << file.rdbuf();
  if (!file) throw Error(path, "cannot be read");
  return std::move(bytes).str();
}

std::string read_text_file(const std::string& path) {
  constexpr std::size_t kMost = std::size_t{16} << 20, kPiece = std::size_t{1} << 16;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  while (file) {
    const std::size_t had = text.size();
    text.resize(had + kPiece);
    file.read(&text[had], kPiece);
    text.resize(had + static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMost) throw InputError(path, "is longer than 16 MB");
  }
  if (!file.eof()) throw InputError(path, "cannot be read");
  return text;
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw Error(path, "folder cannot be made: " + error.message());
}

}  // namespace oida
