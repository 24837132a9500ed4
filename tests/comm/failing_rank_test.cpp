// Fails on the last rank alone: the test of add_mpi_test() itself.

#include <gtest/gtest.h>

#include "mpi_world.hpp"

namespace oida {

TEST(FailingRank, FailsOnTheLastRank) {
  const Comm& comm = testing::world();
  EXPECT_NE(comm.rank(), comm.size() - 1) << "only here";
}

}  // namespace oida
