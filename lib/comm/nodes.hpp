#pragma once
// Who sums what: ranks of a node share memory; of each node the first `lanes` ranks carry a part of
// every sum to the ranks of the same lane on the other nodes.

#include <vector>

#include "comm/comm.hpp"

namespace oida {

struct Nodes {
  int count = 1;
  int own = 0;
  int rank = 0;            // of this unit in its node
  int ranks = 1;           // of this node
  int lanes = 1;           // ranks of the smallest node
  std::vector<int> peers;  // the rank of this unit's lane on each node; empty where it has none

  bool carries() const { return rank < lanes; }
};

/// Of the unit `rank`, seen from `placement`; hosts are cut into nodes of at most `ranks_per_node`
/// ranks, 0 = not at all.
Nodes nodes_of(const std::vector<Placement>& placement, int rank, int ranks_per_node);

}  // namespace oida
