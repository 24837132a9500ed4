#pragma once
// What an exchange has to itself while it lives, and leaves to the next one.

#include <cstdint>
#include <memory>

#include <mpi.h>

#include "comm/node_memory.hpp"

namespace oida {

struct Channel {
  int id = 0;              // the same on all ranks
  int ranks_per_node = 0;  // ExchangeOptions
  std::size_t floats = 0;  // of each area
  MPI_Comm messages = MPI_COMM_NULL;
  std::unique_ptr<NodeMemory> memory;
  std::uint64_t operations = 0;  // started so far
};

}  // namespace oida
