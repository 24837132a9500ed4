#pragma once
// A discrete-event model of the training loop on many nodes, one unit a node: what cannot be run
// here is predicted from what was measured here.
//
// What is modelled is what lib/comm does (comm/chunks.hpp, comm/lane_transfer.hpp): an array is cut
// into chunks, each with a node as its owner; all nodes send it their parts, it sends back the sum.
// Messages move only where a unit polls: between the kernels of a step, or all the time while it
// waits. Large ones are asked for first (rendezvous) where the network moves them by itself. A
// message takes its link out, then the link in of the receiver, in the order of their coming; the
// switch between them is never the bottleneck. A unit's time is work: in steps, for messages and
// their bytes, in merging.

#include <cstdint>
#include <vector>

namespace oida::perf {

struct LinkSpeed {
  double bytes_per_s = 0;     // of the link out of each node
  double latency_s = 0;       // one way
  double burst_bytes = 0;     // that pass at once after a rest: a token bucket
  double in_bytes_per_s = 0;  // of the link into each node; 0: as out
  bool asked_for = true;      // large messages, by RDMA; over TCP they are sent at once
};

/// Of a unit, in seconds.
struct Work {
  double step_s = 0;     // mean
  double spread = 0;     // standard deviation of ln(step time)
  int polls = 1;         // a step, evenly spread
  double merge_s = 0;    // after each exchange
  double message_s = 0;  // of each message sent or received
  double byte_s = 0;     // of each byte sent or received
};

/// An array that travels: it begins to at this share of a step. 0: before the first step.
struct Array {
  std::size_t floats = 0;
  double ready = 0;
};

struct Loop {
  /// oida: the arrays of a round travel while `interleave` steps are taken. allreduce: each step
  /// waits for its arrays.
  bool waits_each_step = false;
  int interleave = 1;
  double bytes_per_float = 4;
  std::vector<Array> arrays;
};

struct Cluster {
  int nodes = 1;
  LinkSpeed links;
};

/// Means over all units and the rounds after the first.
struct Prediction {
  double step_s = 0;      // wall time of a step, its share of the exchange included
  double idle_share = 0;  // posting, polling, waiting, of the time: Timing::idle_share()
  double hidden_share = 0;
  double exchange_s = 0;  // in flight
};

/// `rounds` of them are simulated after a first one, at least one.
Prediction predict(const Cluster& cluster, const Work& work, const Loop& loop, int rounds,
                   std::uint64_t seed = 1);

}  // namespace oida::perf
