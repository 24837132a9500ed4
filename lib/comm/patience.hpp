#pragma once
// How a rank waits: it gives its core away instead of spinning, since on a shared core every spin
// is time taken from the rank that it waits for, and it ends the job when it has waited too long.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "core/clock.hpp"
#include "core/error.hpp"

namespace oida {

class RollCall;

/// Who waits and for how long at most; one a process, shared by all that wait.
struct Stall {
  int rank = 0;
  std::vector<std::string> hosts;  // by rank
  double timeout_s = 0.0;          // 0 = wait for ever
  std::string moment = "at the start";
  Exit exit = Exit::failed;
  RollCall* roll_call = nullptr;
  std::function<bool()> waiting_work;  // Comm::set_waiting_work()
};

/// One wait. `operation` is a literal, named when the wait ends the job.
class Patience {
 public:
  Patience(const Stall& stall, const char* operation)
      : stall_(stall), operation_(operation), since_s_(now_s()) {}

  /// Something moved: the wait starts afresh.
  void progress() {
    since_s_ = now_s();
    announced_ = false;
  }
  /// Nothing moved: leaves the core to others, for longer the longer nothing has moved.
  void idle();

 private:
  void lose(double waited_s);
  [[noreturn]] void end_job(double waited_s, const std::vector<int>& silent) const;

  const Stall& stall_;
  const char* operation_;
  double since_s_;
  bool announced_ = false;
};

/// Polls until all requests are done. Throws as check_mpi does.
void wait_all(std::span<MPI_Request> requests, const Stall& stall, const char* operation);

/// Ends all ranks of the job with this exit code, even where MPI_Abort does not come back.
[[noreturn]] void end_all(int exit_code);

}  // namespace oida
