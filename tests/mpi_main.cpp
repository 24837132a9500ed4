// main of all tests that run under mpiexec: names the rank before each failure, makes the verdict
// of one rank that of all, and ends a test that hangs before ctest has to.

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "mpi_world.hpp"

namespace {

oida::Comm* the_world = nullptr;
std::array<char, 512> hung{};  // what the alarm prints

std::string rank_text() {
  return "[rank " + std::to_string(the_world->rank()) + "/" + std::to_string(the_world->size()) +
         "] ";
}

void ring(int) {
  if (write(STDERR_FILENO, hung.data(), std::char_traits<char>::length(hung.data())) < 0) _exit(2);
  _exit(1);
}

/// Goes before gtest's own printer, which only rank 0 keeps.
class RankListener : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& test) override {
    std::snprintf(hung.data(), hung.size(), "%shangs in %s.%s\n", rank_text().c_str(),
                  test.test_suite_name(), test.name());
  }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fputs(rank_text().c_str(), stdout);
    if (the_world->rank() == 0) return;
    const char* file = result.file_name() == nullptr ? "" : result.file_name();
    std::printf("%s:%d: %s\n", file, result.line_number(), result.message());
    std::fflush(stdout);
  }
};

void listen() {
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  testing::TestEventListener* printer = listeners.Release(listeners.default_result_printer());
  listeners.Append(new RankListener);
  if (the_world->rank() == 0) {
    listeners.Append(printer);
  } else {
    delete printer;
  }
}

/// No test selected counts as a failure: a renamed test must not pass by running nothing.
bool all_passed() {
  bool passed = false;
  try {
    passed = RUN_ALL_TESTS() == 0;
  } catch (const std::exception& e) {
    std::printf("%s%s\n", rank_text().c_str(), e.what());
  }
  const bool some = testing::UnitTest::GetInstance()->test_to_run_count() > 0;
  std::array<double, 1> failed{passed && some ? 0.0 : 1.0};
  the_world->maximum(failed);
  if (passed && failed[0] != 0.0 && the_world->rank() == 0) {
    std::puts("[  FAILED  ] on another rank");
  }
  return failed[0] == 0.0;
}

}  // namespace

namespace oida::testing {

Comm& world() {
  return *the_world;
}

}  // namespace oida::testing

int main(int argc, char** argv) {
  // The alarm is set by add_mpi_test() to less than ctest's own limit.
  const char* limit = std::getenv("OIDA_TEST_LIMIT_S");
  std::signal(SIGALRM, ring);
  alarm(limit == nullptr ? 60U : static_cast<unsigned>(std::strtoul(limit, nullptr, 10)));
  try {
    oida::Runtime runtime(argc, argv);
    the_world = &runtime.comm();
    if (the_world->rank() != 0) unsetenv("GTEST_OUTPUT");
    testing::InitGoogleTest(&argc, argv);
    listen();
    const bool passed = all_passed();
    runtime.finish();
    return passed ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mpi test: %s\n", e.what());
    return 1;
  }
}
