#pragma once
// What a test under add_mpi_test() sees of its job. Its main is mpi_main.cpp.

#include "comm/comm.hpp"

namespace oida::testing {

/// All ranks of the test.
Comm& world();

}  // namespace oida::testing
