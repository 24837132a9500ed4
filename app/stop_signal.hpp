#pragma once
// SIGTERM, SIGINT and SIGUSR1 ask for a checkpoint and a clean stop.

namespace oida::app {

/// From now on the signals are noted instead of ending the process; a second SIGINT ends it.
void watch_stop_signals();
bool stop_signal_seen();

}  // namespace oida::app
