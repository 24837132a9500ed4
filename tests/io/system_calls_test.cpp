// Files get whole and durable before they get their name, whatever call fails.

#include <cerrno>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/files.hpp"
#include "io/run/checkpoint.hpp"
#include "io/small_model.hpp"

namespace {

/// Calls since the last reset, "fsync round-7.h5.part" and so on, and which of them fails.
std::vector<std::string> calls;
int calls_to_failure = -1;
int failure = 0;

std::string name_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string path_of(int descriptor) {
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor)).string();
}

/// Whether the call is to be made.
bool note(const std::string& call) {
  calls.push_back(call);
  if (calls_to_failure < 0 || calls_to_failure-- > 0) return true;
  errno = failure;
  return false;
}

}  // namespace

extern "C" int fsync(int descriptor) {
  const bool made = note("fsync " + name_of(path_of(descriptor)));
  return made ? static_cast<int>(::syscall(SYS_fsync, descriptor)) : -1;
}

extern "C" int rename(const char* from, const char* to) noexcept {
  const bool made = note("rename " + name_of(from) + " " + name_of(to));
  return made ? static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0)) : -1;
}

extern "C" ssize_t write(int descriptor, const void* bytes, std::size_t size) {
  if (descriptor > 2 && !note("write " + name_of(path_of(descriptor)))) return -1;
  return ::syscall(SYS_write, descriptor, bytes, size);
}

namespace oida {
namespace {

using Calls = std::vector<std::string>;

class SystemCalls : public ::testing::Test {
 protected:
  SystemCalls() { calls.clear(); }
  ~SystemCalls() override { calls_to_failure = -1; }

  static void fail(std::size_t call, int error) {
    calls.clear();
    calls_to_failure = static_cast<int>(call);
    failure = error;
  }
  Calls whole(const std::string& name) const {
    return {"write " + name + ".part", "fsync " + name + ".part",
            "rename " + name + ".part " + name, "fsync " + name_of(temp_.path())};
  }

  testing::TempFolder temp_;
};

TEST_F(SystemCalls, sync_a_file_before_it_gets_its_name_and_the_folder_after) {
  write_whole_file(temp_ / "a", "text");
  EXPECT_EQ(calls, whole("a"));
  calls.clear();
  write_model(temp_ / "model.h5", testing::small_model());
  EXPECT_EQ(calls, whole("model.h5"));
}

TEST_F(SystemCalls, of_a_checkpoint_end_with_its_common_file) {
  const auto store = open_checkpoints(temp_.path(), testing::small_network());
  const auto sum = store->write_unit(7, 0, {});
  store->write_common(7, {}, {sum});
  Calls wanted = whole("round-7.unit-0.h5");
  for (const auto& call : whole("round-7.h5")) wanted.push_back(call);
  EXPECT_EQ(calls, wanted);
}

/// Quota, full, read-only and broken disks show in any of the calls.
TEST_F(SystemCalls, that_fail_leave_the_old_file_and_nothing_else) {
  testing::write_text(temp_ / "a", "old");
  const std::size_t before_its_name = whole("a").size() - 1;
  for (const int error : {EDQUOT, ENOSPC, EROFS, EIO}) {
    for (std::size_t call = 0; call < before_its_name; ++call) {
      fail(call, error);
      testing::expect_error([&] { write_whole_file(temp_ / "a", "new"); },
                            {temp_ / "a", system_error_text(error)});
      EXPECT_EQ(testing::read_text(temp_ / "a"), "old") << whole("a")[call];
      EXPECT_EQ(testing::files_in(temp_.path()), Calls{"a"}) << whole("a")[call];
    }
  }
  fail(before_its_name, EIO);
  testing::expect_error([&] { write_whole_file(temp_ / "a", "new"); }, {"synced"});
}

TEST_F(SystemCalls, that_are_interrupted_are_made_again) {
  fail(0, EINTR);
  write_whole_file(temp_ / "a", "text");
  EXPECT_EQ(testing::read_text(temp_ / "a"), "text");
}

/// Some file systems cannot sync a folder.
TEST_F(SystemCalls, that_cannot_be_made_on_a_folder_are_no_failure) {
  fail(whole("a").size() - 1, EINVAL);
  EXPECT_NO_THROW(write_whole_file(temp_ / "a", "text"));
}

}  // namespace
}  // namespace oida
