#pragma once
// Who still answers: ranks that wait tell each other so, and the one that does not is named.

#include <vector>

#include <mpi.h>

namespace oida {

/// A rank that has waited for a while calls announce(); a rank that has waited too long asks who
/// has not. A rank that computes, sleeps or is gone is silent; calls that fail because it is gone
/// are no error here. Never waits.
class RollCall {
 public:
  /// Has `channel` to itself.
  RollCall(MPI_Comm channel, int rank, int ranks);
  RollCall(const RollCall&) = delete;
  RollCall& operator=(const RollCall&) = delete;

  /// Tells all other ranks that this one waits.
  void announce();
  /// Other ranks that have not announced within the last `within_s` seconds of wall time.
  std::vector<int> silent(double within_s);
  /// Takes in what has come; while a rank waits, this is also what moves its own announcement.
  void listen();

 private:
  MPI_Comm channel_;
  int rank_;
  std::vector<double> heard_s_;       // by rank, wall time
  std::vector<double> announced_s_;   // by rank, what is sent
  std::vector<MPI_Request> sending_;  // by rank
};

}  // namespace oida
