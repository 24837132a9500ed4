// link(2) as NFS may have it: carried out, its answer lost, and refused when it is sent again.

#include <cerrno>
#include <memory>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/error.hpp"
#include "io/run/run_lock.hpp"
#include "io/testing.hpp"

namespace {
bool answer_is_lost = false;
}

extern "C" int link(const char* from, const char* to) noexcept {
  const long result = ::syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
  if (!answer_is_lost || result != 0) return static_cast<int>(result);
  errno = EEXIST;
  return -1;
}

namespace oida {
namespace {

TEST(LostAnswer, the_lock_is_held_all_the_same) {
  const testing::TempFolder folder;
  answer_is_lost = true;
  auto lock = std::make_unique<RunLock>(folder.path());
  answer_is_lost = false;
  EXPECT_EQ(testing::files_in(folder.path()), std::vector<std::string>{"lock"});
  testing::expect_refusal([&] { RunLock second(folder.path()); }, {"in use"});
  EXPECT_EQ(lock->beat(), "");
  lock.reset();
  EXPECT_TRUE(testing::files_in(folder.path()).empty());
}

TEST(LostAnswer, a_lock_that_vanished_is_taken_again_unless_another_has_it) {
  const testing::TempFolder folder;
  RunLock lock(folder.path());
  ::unlink((folder / "lock").c_str());
  EXPECT_NE(lock.beat().find("anew"), std::string::npos);
  EXPECT_EQ(lock.beat(), "");
  testing::write_text(folder / "lock", "another");
  testing::expect_error([&] { lock.beat(); }, {"taken over"});
}

}  // namespace
}  // namespace oida
