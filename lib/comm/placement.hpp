#pragma once
// Finds out where the ranks run.

#include <cstddef>
#include <string>
#include <vector>

#include "comm/comm.hpp"

namespace oida {

/// Name of this host without its domain.
std::string host_name();

/// Cores that this process may run on, ascending.
std::vector<int> allowed_cores();

/// Bytes that shared memory of this host has left; the largest number where it does not say.
std::size_t free_shared_memory_bytes();

/// The table of all ranks from what each knows of itself; `leaders[r]` is the lowest rank that
/// shares memory with rank r. Fills in rank, node, node_rank and node_ranks.
void number_nodes(std::vector<Placement>& table, const std::vector<int>& leaders);

}  // namespace oida
