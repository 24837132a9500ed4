#include "comm/nodes.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace oida {

Nodes nodes_of(const std::vector<Placement>& placement, int rank, int ranks_per_node) {
  std::map<std::pair<int, int>, int> node_of;  // host and part of it -> node
  std::vector<std::vector<int>> members;
  Nodes nodes;
  for (const Placement& place : placement) {
    const int part = ranks_per_node > 0 ? place.node_rank / ranks_per_node : 0;
    const int next = static_cast<int>(members.size());
    const auto [at, is_new] = node_of.try_emplace({place.node, part}, next);
    if (is_new) members.emplace_back();
    std::vector<int>& ranks = members[static_cast<std::size_t>(at->second)];
    if (place.rank == rank) {
      nodes.own = at->second;
      nodes.rank = static_cast<int>(ranks.size());
    }
    ranks.push_back(place.rank);
  }
  const auto fewer = [](const auto& a, const auto& b) { return a.size() < b.size(); };
  nodes.count = static_cast<int>(members.size());
  nodes.ranks = static_cast<int>(members[static_cast<std::size_t>(nodes.own)].size());
  nodes.lanes = static_cast<int>(std::min_element(members.begin(), members.end(), fewer)->size());
  if (!nodes.carries()) return nodes;
  for (const auto& ranks : members) {
    nodes.peers.push_back(ranks[static_cast<std::size_t>(nodes.rank)]);
  }
  return nodes;
}

}  // namespace oida
