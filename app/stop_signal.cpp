#include "stop_signal.hpp"

#include <atomic>
#include <csignal>
#include <initializer_list>
#include <thread>

#include <pthread.h>

namespace oida::app {

namespace {

std::atomic<bool> watched = false;
std::atomic<bool> seen = false;

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&set, signal);
  return set;
}

void end_process_by(int signal) {
  std::signal(signal, SIG_DFL);
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  std::raise(signal);
}

void wait_for_signals() {
  const sigset_t set = stop_signals();
  for (int signal = 0; sigwait(&set, &signal) == 0;) {
    if (!watched || (signal == SIGINT && seen)) end_process_by(signal);
    seen = true;
  }
}

}  // namespace

void block_stop_signals() {
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::thread(wait_for_signals).detach();
  std::signal(SIGXFSZ, SIG_IGN);  // a file above the limit is an error of write(2), not the end
}

void watch_stop_signals() {
  watched = true;
}

bool stop_signal_seen() {
  return seen;
}

}  // namespace oida::app
