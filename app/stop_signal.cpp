#include "stop_signal.hpp"

#include <csignal>
#include <initializer_list>

namespace oida::app {

namespace {

volatile std::sig_atomic_t seen = 0;

void note(int signal) {
  if (signal == SIGINT && seen != 0) std::signal(SIGINT, SIG_DFL);
  seen = 1;
}

}  // namespace

void watch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) sigaction(signal, &action, nullptr);
}

bool stop_signal_seen() {
  return seen != 0;
}

}  // namespace oida::app
