#include <stdexcept>

#include <gtest/gtest.h>

#include "comm/comm.hpp"
#include "mpi_world.hpp"

namespace oida {
namespace {

/// What agree() throws here, or nothing.
std::optional<Error> agreed(const std::optional<Error>& error) {
  try {
    agree(testing::world(), error);
  } catch (const Error& e) {
    return e;
  }
  return std::nullopt;
}

TEST(Agree, NothingWhereNoRankFails) {
  EXPECT_FALSE(agreed(std::nullopt));
}

TEST(Agree, OneFailingRankIsEverybodysError) {
  for (int failing = 0; failing < testing::world().size(); ++failing) {
    std::optional<Error> own;
    if (testing::world().rank() == failing)
      own = InputError("deck.ini", "rank " + std::to_string(failing));
    const std::optional<Error> all = agreed(own);
    ASSERT_TRUE(all);
    EXPECT_EQ(all->message(), "deck.ini: rank " + std::to_string(failing));
    EXPECT_EQ(all->exit(), Exit::refused);
  }
}

TEST(Agree, TheLowestFailingRankSpeaksWithItsCode) {
  const int rank = testing::world().rank();
  std::optional<Error> own;
  if (rank > 0 || testing::world().size() == 1) {
    own = Error("rank", std::to_string(rank), rank <= 1 ? Exit::again : Exit::failed);
  }
  const std::optional<Error> all = agreed(own);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->message(), testing::world().size() == 1 ? "rank: 0" : "rank: 1");
  EXPECT_EQ(all->exit(), Exit::again);
}

TEST(Collectively, GivesEachRankItsOwnResult) {
  const int rank = testing::world().rank();
  EXPECT_EQ(collectively(testing::world(), [&] { return 10 * rank; }), 10 * rank);
}

TEST(Collectively, AForeignExceptionOnOneRankReachesAll) {
  Comm& comm = testing::world();
  const auto work = [&] {
    if (comm.rank() == comm.size() - 1) throw std::runtime_error("disk on fire");
  };
  try {
    collectively(comm, work);
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), "internal: disk on fire");
    EXPECT_EQ(e.exit(), Exit::failed);
  }
}

}  // namespace
}  // namespace oida
