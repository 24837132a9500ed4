#include <cstdlib>

#include <gtest/gtest.h>

#include "comm/comm.hpp"

namespace oida {
namespace {

class Launch : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"SLURM_STEP_NUM_TASKS", "PMI_SIZE", "OMPI_COMM_WORLD_SIZE"}) {
      unsetenv(name);
    }
  }
};

TEST_F(Launch, OneProcessWithoutLauncherIsARunOfOneRank) {
  EXPECT_FALSE(singleton_error(1));
}

TEST_F(Launch, AStepOfOneTaskIsARunOfOneRank) {
  setenv("SLURM_STEP_NUM_TASKS", "1", 1);
  EXPECT_FALSE(singleton_error(1));
}

TEST_F(Launch, CopiesOfOneRankAreRefused) {
  setenv("SLURM_STEP_NUM_TASKS", "8", 1);
  const std::optional<Error> error = singleton_error(1);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->exit(), Exit::refused);
  EXPECT_NE(error->message().find("SLURM_STEP_NUM_TASKS is 8"), std::string::npos);
  EXPECT_NE(error->message().find("srun --mpi=pmi2"), std::string::npos);
}

TEST_F(Launch, OtherLaunchersAreKnown) {
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  EXPECT_TRUE(singleton_error(1));
}

TEST_F(Launch, AJoinedJobIsFine) {
  setenv("SLURM_STEP_NUM_TASKS", "8", 1);
  EXPECT_FALSE(singleton_error(8));
}

}  // namespace
}  // namespace oida
