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
#include <sys/ioctl.h>
#include <unistd.h>

#include "comm/mpi_check.hpp"
#include "comm/roll_call.hpp"
#include "core/error.hpp"

namespace oida {
namespace {

constexpr double kYieldFor_s = 200e-6;  // shorter waits cost a yield and no timer
constexpr double kLongestNap_s = 1e-3;
constexpr double kAnnounceAfter = 0.25;  // of the time-out
constexpr double kHoldBack_s = 2;
constexpr unsigned kAbortPatience_s = 10;

volatile std::sig_atomic_t abort_exit_code = 1;

/// A launcher that is told to end the job may do so before it has passed on what was said last: as
/// long as that lies in the pipe, for a second at most.
void await_stderr_read() {
  for (int i = 0; i < 1000; ++i) {
    int unread = 0;
    if (ioctl(STDERR_FILENO, FIONREAD, &unread) != 0 || unread == 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void leave(int) {
  _exit(static_cast<int>(abort_exit_code));
}

}  // namespace

void Patience::idle() {
  if (stall_.waiting_work && stall_.waiting_work()) return progress();
  const double waited_s = now_s() - since_s_;
  if (stall_.timeout_s > 0.0 && waited_s > kAnnounceAfter * stall_.timeout_s) lose(waited_s);
  if (waited_s < kYieldFor_s) {
    sched_yield();
    return;
  }
  std::this_thread::sleep_for(
      std::chrono::duration<double>(std::min(kLongestNap_s, waited_s / 16.0)));
}

/// The lowest of the ranks that wait speaks for all and ends the job; the others hold back a while,
/// should it be about to do so.
void Patience::lose(double waited_s) {
  RollCall* roll_call = stall_.roll_call;
  if (roll_call != nullptr) announced_ ? roll_call->listen() : roll_call->announce();
  announced_ = true;
  if (waited_s <= stall_.timeout_s) return;
  std::vector<int> silent;
  if (roll_call != nullptr) silent = roll_call->silent(waited_s);
  bool lowest = true;
  for (int r = 0; r < stall_.rank; ++r) lowest &= std::ranges::count(silent, r) > 0;
  if (lowest || waited_s > stall_.timeout_s + kHoldBack_s) end_job(waited_s, silent);
}

void Patience::end_job(double waited_s, const std::vector<int>& silent) const {
  const auto name = [this](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    return "rank " + std::to_string(rank) +
           (r < stall_.hosts.size() ? " on " + stall_.hosts[r] : "");
  };
  std::string who = silent.empty() ? "a rank" : name(silent.front());
  if (silent.size() > 1) who += " and " + std::to_string(silent.size() - 1) + " more";
  std::array<char, 512> line{};
  const int length = std::snprintf(
      line.data(), line.size(),
      "oida: error: %s does not answer: lost or stalled %s; %s waited %.1f s in %s\n", who.c_str(),
      stall_.moment.c_str(), name(stall_.rank).c_str(), waited_s, operation_);
  // One write, so that the lines of ranks that give up together stay whole.
  const auto size = std::min(line.size() - 1, static_cast<std::size_t>(std::max(length, 0)));
  if (write(STDERR_FILENO, line.data(), size) < 0) std::perror("oida");
  end_all(static_cast<int>(stall_.exit));
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
  await_stderr_read();
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
