// The same damage each time: read as something, or refused in one line; never a crash, never more
// memory than the limit. OIDA_MUTATIONS sets how many are tried of each target.

#include <cstdlib>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "fuzz/targets.hpp"
#include "io/mutate.hpp"

namespace oida::fuzz {
namespace {

constexpr int kDefaultMutations = 400;

int number_from(const char* variable, int usual) {
  const char* text = std::getenv(variable);
  return text == nullptr ? usual : std::atoi(text);
}

/// Where a file's size were believed before it is checked, memory would run out.
void limit_memory() {
  const auto megabytes = static_cast<rlim_t>(number_from("OIDA_MEMORY_LIMIT_MB", 0));
  if (megabytes == 0) return;
  const rlimit limit{megabytes << 20, megabytes << 20};
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &limit), 0);
}

class Replay : public ::testing::TestWithParam<Target> {};

TEST_P(Replay, whole_files_are_read) {
  for (const auto& seed : GetParam().seeds()) EXPECT_NO_THROW(GetParam().read(seed));
}

TEST_P(Replay, damaged_files_are_read_or_refused_in_one_line) {
  limit_memory();
  const auto seeds = GetParam().seeds();
  const int mutations = number_from("OIDA_MUTATIONS", kDefaultMutations);
  for (int number = 0; number < mutations; ++number) {
    testing::Random random(static_cast<std::uint64_t>(number));
    std::string bytes = seeds[static_cast<std::size_t>(number) % seeds.size()];
    const auto changes = 1 + testing::below(random, 3);
    for (std::size_t n = 0; n < changes; ++n) testing::mutate(bytes, random);
    ASSERT_EQ(fault(GetParam(), bytes), "") << "mutation " << number;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Replay, ::testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace oida::fuzz
