#include "comm/patience.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include "comm/mpi_check.hpp"
#include "core/error.hpp"

namespace oida {
namespace {

constexpr double kYieldFor_s = 200e-6;  // shorter waits cost a yield and no timer
constexpr double kLongestNap_s = 1e-3;
constexpr unsigned kAbortPatience_s = 10;

volatile std::sig_atomic_t abort_exit_code = 1;

void leave(int) {
  _exit(static_cast<int>(abort_exit_code));
}

}  // namespace

void Patience::idle() const {
  const double waited_s = now_s() - since_s_;
  if (stall_.timeout_s > 0.0 && waited_s > stall_.timeout_s) end_job(waited_s);
  if (waited_s < kYieldFor_s) {
    sched_yield();
    return;
  }
  std::this_thread::sleep_for(
      std::chrono::duration<double>(std::min(kLongestNap_s, waited_s / 16.0)));
}

void Patience::end_job(double waited_s) const {
  std::array<char, 512> line{};
  const int length = std::snprintf(
      line.data(), line.size(),
      "oida: error: rank %d on %s: nothing came for %.1f s while waiting in %s: a rank or node is "
      "lost or stalled\n",
      stall_.rank, stall_.host.c_str(), waited_s, operation_);
  // One write, so that the lines of ranks that give up together stay whole.
  const auto size = std::min(line.size() - 1, static_cast<std::size_t>(std::max(length, 0)));
  if (write(STDERR_FILENO, line.data(), size) < 0) std::perror("oida");
  end_all(static_cast<int>(Exit::again));
}

void wait_all(std::span<MPI_Request> requests, const Stall& stall, const char* operation) {
  std::vector<MPI_Status> statuses(requests.size());
  Patience patience(stall, operation);
  int done = 0;
  for (;;) {
    const int code =
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, statuses.data());
    check_mpi(code, statuses, operation);
    if (done != 0) return;
    patience.idle();
  }
}

void end_all(int exit_code) {
  std::fflush(nullptr);
  abort_exit_code = exit_code;
  std::signal(SIGALRM, leave);
  alarm(kAbortPatience_s);
  // The program has said its line; MPI_Abort's own would be a second one.
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  // Under srun MPICH ends the caller alone where the communicator is not the world.
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  _exit(exit_code);
}

}  // namespace oida
