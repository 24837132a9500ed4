#pragma once
// How a rank waits: it gives its core away instead of spinning, since on a shared core every spin
// is time taken from the rank that it waits for, and it ends the job when it has waited too long.

#include <span>
#include <string>

#include <mpi.h>

#include "core/clock.hpp"

namespace oida {

/// Who waits and for how long at most; one a process, shared by all that wait.
struct Stall {
  int rank = 0;
  std::string host;
  double timeout_s = 0.0;  // 0 = wait for ever
};

/// One wait. `operation` is a literal, named when the wait ends the job.
class Patience {
 public:
  Patience(const Stall& stall, const char* operation)
      : stall_(stall), operation_(operation), since_s_(now_s()) {}

  /// Something moved: the wait starts afresh.
  void progress() { since_s_ = now_s(); }
  /// Nothing moved: leaves the core to others, for longer the longer nothing has moved.
  void idle() const;

 private:
  [[noreturn]] void end_job(double waited_s) const;

  const Stall& stall_;
  const char* operation_;
  double since_s_;
};

/// Polls until all requests are done. Throws as check_mpi does.
void wait_all(std::span<MPI_Request> requests, const Stall& stall, const char* operation);

/// Ends all ranks of the job with this exit code, even where MPI_Abort does not come back.
[[noreturn]] void end_all(int exit_code);

}  // namespace oida
